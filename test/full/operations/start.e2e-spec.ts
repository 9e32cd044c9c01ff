import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createSocket, type Socket } from 'node:dgram';
import { rm } from 'node:fs/promises';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { EmbeddedEngine } from '@app/telephony';
import { startTestEngine, testMedia } from '../interop/test-engine.js';
import { commandOutcome } from '../../support/built-command.js';
import { createTestDatabase } from '../../support/database.js';
import { freePort } from '../../support/free-port.js';

interface Ready {
  base_url: string;
  token: string;
  account_id: number;
  agent_id: number;
  number_id: number;
  webhook_secret: string;
  answered_number: string;
  sip_port: number;
  sandbox: { sip_host: string; sip_port: number; extensions: Record<string, string> };
  search: { provider: string | null; reason: string | null };
  pids: Record<string, number>;
}

const MINUTE = 60_000;
const PIPELINE_NUMBER = '+15550001112';
/** Five processes begin at once, also on a machine that is busy with other things. */
const START = 2 * MINUTE;

let home: string;
let started: Started[] = [];

/** One home for all tests of a `describe`: a start costs ten seconds of a processor, so each is looked at from several sides. */
function inOneHome(): void {
  beforeAll(() => {
    home = mkdtempSync(join(tmpdir(), 'trunkline-start-'));
    chmodSync(home, 0o711);
  });
  afterAll(async () => {
    await Promise.all(started.map((one) => one.end()));
    started = [];
    await rm(home, { recursive: true, force: true });
  }, MINUTE);
}

const DIRECTLY = [process.execPath, 'dist/apps/cli/src/main.js', 'start'];
/** A process that loads a model of 100 MB, and vectors of the sample document; the first start has them. */
const WITHOUT_VECTORS = { EMBEDDINGS_PROVIDER: 'none' };
/** Without `prestart`, which would build beside the other tests. */
const BY_NPM = ['npm', 'start', '--ignore-scripts'];

/** `trunkline start` as a person runs it, without the terminal. */
class Started {
  output = '';
  private readonly child: ChildProcess;

  constructor(env: Record<string, string> = {}, [program, ...args] = DIRECTLY) {
    const { DATABASE_URL: _embedded, ...inherited } = process.env;
    this.child = spawn(program!, args, {
      env: { ...inherited, NODE_OPTIONS: '', TRUNKLINE_HOME: home, PORT: '0', DRAIN_SECONDS: '1', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [this.child.stdout, this.child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => (this.output += text));
    }
    started.push(this);
  }

  /** Resolves when it has printed what it prints at the end of its start. */
  async up(): Promise<Ready> {
    await this.says('Press Ctrl-C to stop it');
    return readyFile();
  }

  async says(sentence: string): Promise<void> {
    await until(() => {
      if (!this.output.includes(sentence)) this.whileRunning();
      return this.output.includes(sentence);
    });
  }

  /** The exit code, when it ends by itself. */
  async ended(): Promise<number | null> {
    if (this.child.exitCode === null && this.child.signalCode === null) await once(this.child, 'close');
    return this.child.exitCode;
  }

  signal(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  async end(): Promise<number | null> {
    this.signal('SIGINT');
    return this.ended();
  }

  private whileRunning(): void {
    if (this.child.exitCode !== null || this.child.signalCode !== null)
      throw new Error(`It has ended:\n${this.output}`);
  }
}

/** Looks every 20 ms: files and processes of others send no events. The test's own time is the limit. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await delay(20);
}

/** Gone, or ended and only not yet collected by its parent. */
function isGone(pid: number): boolean {
  const file = `/proc/${pid}/cmdline`;
  return !existsSync(file) || readFileSync(file, 'utf8') === '';
}

const allGone = (pids: number[]): Promise<void> => until(() => pids.every(isGone));

const readyFile = (): Ready => JSON.parse(readFileSync(join(home, 'ready.json'), 'utf8')) as Ready;

const authorized = (ready: Ready) => ({ authorization: `Bearer ${ready.token}`, 'content-type': 'application/json' });

function keepsWhatItHad(before: Ready, after: Ready): void {
  expect(after).toMatchObject({ token: before.token, account_id: before.account_id, agent_id: before.agent_id });
  expect(after.sandbox.sip_port).toBe(before.sandbox.sip_port);
}

async function listening(): Promise<Server> {
  const server = createServer();
  server.listen(0, '0.0.0.0');
  await once(server, 'listening');
  return server;
}

/** Takes the UDP port of a process that is dying, before its successor can. */
async function portOfDead(port: number): Promise<Socket> {
  for (;;) {
    const socket = createSocket('udp4').bind(port, '0.0.0.0');
    try {
      await once(socket, 'listening');
      return socket;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
      await delay(5);
    }
  }
}

/** Calls until somebody answers: the dialer notices a new workspace within seconds. */
async function calledIn(uri: string): Promise<void> {
  const phone = await startTestEngine({ media: testMedia({ ports: { min: 13_000, max: 13_098 } }) });
  while (!(await isAnswered(phone, uri))) await delay(500);
  await phone.close();
}

function isAnswered(phone: EmbeddedEngine, uri: string): Promise<boolean> {
  const leg = phone.dial({
    legId: 'softphone',
    destination: { kind: 'sip', uri },
    from: { number: '+15557770001' },
    ringTimeoutMs: 10_000,
  });
  leg.on('answered', () => leg.hangup('agent_hangup'));
  return new Promise((resolve) => leg.on('ended', (end) => resolve(end.status === 'completed')));
}

describe('trunkline start', () => {
  inOneHome();
  let run: Started;
  let ready: Ready;

  it.each([
    ['PORT', '0.0.0.0'],
    ['SIP_PORT', '0.0.0.0'],
    ['SANDBOX_SIP_PORT', '127.0.0.1'],
  ])(
    'reports that %s is busy and how to choose another port',
    async (variable) => {
      const server = await listening();
      const { port } = server.address() as AddressInfo;
      const run = new Started({ [variable]: String(port) });
      expect(await run.ended()).toBe(1);
      expect(run.output).toContain(`${variable} ${port} is in use by another program`);
      expect(run.output).toContain(`${variable}=${port + 1} npm start`);
      server.close();
    },
    MINUTE,
  );

  it(
    'starts all processes after an interrupted setup, and accepts the call that it prints',
    async () => {
      const first = new Started();
      const postgres = join(home, 'postgres');
      const unfinished = () => readdirSync(postgres).some((name) => name.startsWith('data.unfinished'));
      await until(() => existsSync(postgres) && unfinished());
      first.signal('SIGKILL');
      await first.ended();
      const inTheWay = createSocket('udp4').bind(5070, '127.0.0.1');
      await once(inTheWay, 'listening').catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'EADDRINUSE') throw error;
      });
      run = new Started({ SIP_PORT: '0' }, BY_NPM);
      ready = await run.up().finally(() => inTheWay.close());
      expect(run.output).toContain('an earlier setup was interrupted');
      expect(statSync(join(home, 'ready.json')).mode & 0o777).toBe(0o600);
      expect(Object.keys(ready.pids).toSorted()).toEqual([
        'api',
        'dialer',
        'embedder',
        'phone',
        'postgres',
        'supervisor',
        'worker',
      ]);
      expect(ready.search).toEqual({ provider: 'embedder', reason: null });
      expect(ready.webhook_secret).toMatch(/^whsec_/);
      const to = `sip:${ready.sandbox.extensions.answer}@${ready.sandbox.sip_host}:${ready.sandbox.sip_port}`;
      const body = JSON.stringify({ agent_id: ready.agent_id, number_id: ready.number_id, to_number: to });
      expect(run.output).toContain(body);
      expect(ready.sandbox.sip_port).not.toBe(5070);
      const document = await (await fetch(`${ready.base_url}/openapi.json`)).text();
      expect(document).toContain(to);
      expect(document).not.toContain('127.0.0.1:5070');
      const response = await fetch(`${ready.base_url}/api/v1/calls`, {
        method: 'POST',
        headers: authorized(ready),
        body,
      });
      expect(response.status).toBe(201);
      const agent = `sip:${ready.answered_number}@127.0.0.1:${ready.sip_port}`;
      expect(run.output).toContain(agent);
      await calledIn(agent);
      expect([ready.agent_id, ready.number_id]).toEqual([1, 1]);
      // The agent of the second number is a pipeline, without a key.
      await calledIn(agent.replace(ready.answered_number, PIPELINE_NUMBER));
    },
    START,
  );

  it(
    'rejects a second start in the same home with the pid of the first',
    async () => {
      const second = new Started();
      expect(await second.ended()).toBe(1);
      expect(second.output).toContain(`pid ${ready.pids.supervisor} at http://localhost:`);
    },
    MINUTE,
  );

  it(
    'is examined by the doctor with the variables of its processes, from a shell that has none of them',
    async () => {
      const { DATABASE_URL: _database, ...env } = process.env;
      const { stdout } = await commandOutcome(['doctor'], { ...env, NODE_OPTIONS: '', TRUNKLINE_HOME: home });
      expect(stdout).toMatch(
        /^ok +environment +the variables are valid, and those of the installation that runs here$/m,
      );
      expect(stdout).toMatch(
        /^ok +egress +also allowed: requests to 127\.0\.0\.0\/8, ::1\/128, calls to 127\.0\.0\.0\/8/m,
      );
      expect(stdout).toMatch(/^ok +dialers +1 running, \d+ live calls$/m);
      expect(statSync(join(home, 'instance.json')).mode & 0o777).toBe(0o600);
      expect(run.output).toMatch(/^ {2}Guide {4}http:\/\/localhost:\d+\/guide$/m);
    },
    START,
  );

  it(
    'restarts a process that died',
    async () => {
      process.kill(ready.pids.api!, 'SIGKILL');
      await run.says('the api ended unexpectedly (SIGKILL): restarting it');
      await until(() => readyFile().pids.api !== ready.pids.api);
      ready = readyFile();
      const list = await fetch(`${ready.base_url}/api/v1/calls`, { headers: authorized(ready) });
      expect(list.status).toBe(200);
    },
    START,
  );

  it(
    'reports the port of a dialer that came back on another one',
    async () => {
      process.kill(ready.pids.dialer!, 'SIGKILL');
      const taken = await portOfDead(ready.sip_port);
      await until(() => readyFile().pids.dialer !== ready.pids.dialer);
      taken.close();
      const { sip_port: port, answered_number: number } = readyFile();
      expect(port).not.toBe(ready.sip_port);
      ready = readyFile();
      await calledIn(`sip:${number}@127.0.0.1:${port}`);
    },
    START,
  );

  it(
    'goes on without an embedder that died, and starts it again',
    async () => {
      process.kill(ready.pids.embedder!, 'SIGKILL');
      await run.says('the embedder ended unexpectedly (SIGKILL): restarting it');
      const list = await fetch(`${ready.base_url}/api/v1/calls`, { headers: authorized(ready) });
      expect(list.status).toBe(200);
      await until(() => readyFile().pids.embedder !== ready.pids.embedder);
      ready = readyFile();
    },
    START,
  );

  it('reports an unusable home in one line', async () => {
    const file = join(home, 'a-file');
    writeFileSync(file, '');
    const run = new Started({ TRUNKLINE_HOME: file });
    expect(await run.ended()).toBe(1);
    expect(run.output).toContain(`TRUNKLINE_HOME ${file} cannot be used: EEXIST`);
    expect(run.output.trim().split('\n')).toHaveLength(1);
  });

  it(
    'leaves no process running after SIGKILL',
    async () => {
      process.kill(ready.pids.supervisor!, 'SIGKILL');
      await allGone(Object.values(ready.pids));
      expect(Object.values(ready.pids).filter((pid) => !isGone(pid))).toEqual([]);
    },
    MINUTE,
  );

  it(
    'reports an incomplete data directory and leaves it unchanged',
    async () => {
      const control = join(home, 'postgres/data/global/pg_control');
      renameSync(control, `${control}.away`);
      const second = new Started();
      expect(await second.ended()).toBe(1);
      expect(second.output).toContain('is not a complete PostgreSQL data directory: global/pg_control is missing');
      renameSync(`${control}.away`, control);
    },
    MINUTE,
  );

  it(
    'keeps data and token after both',
    async () => {
      run = new Started({ SIP_PORT: '0', ...WITHOUT_VECTORS }, BY_NPM);
      const after = await run.up();
      keepsWhatItHad(ready, after);
      const list = await fetch(`${after.base_url}/api/v1/calls`, { headers: authorized(after) });
      expect(list.status).toBe(200);
      ready = after;
    },
    START,
  );

  it(
    'ends all processes when npm is killed',
    async () => {
      run.signal('SIGKILL');
      await allGone(Object.values(ready.pids));
      expect(existsSync(join(home, 'ready.json'))).toBe(false);
    },
    MINUTE,
  );
});

describe('trunkline start with DATABASE_URL', () => {
  inOneHome();

  it(
    'runs on that database, ends all processes when `npm start` receives SIGTERM, as from process managers and editors, and rejects a different SECRET_KEY',
    async () => {
      const database = await createTestDatabase();
      // With DATABASE_URL a busy SIP_PORT is an error, and installations of other tests use the default one.
      const env = { DATABASE_URL: database.url, SIP_PORT: String(await freePort()), ...WITHOUT_VECTORS };
      const first = new Started(env, BY_NPM);
      const ready = await first.up();
      expect(ready.pids.postgres).toBeUndefined();
      // The database is on this machine; loopback stays closed all the same.
      expect(first.output).toContain('DATABASE_URL is set, so loopback stays closed');
      const refused = async (path: string, body: object) => {
        const request = { method: 'POST', headers: authorized(ready), body: JSON.stringify(body) };
        const response = await fetch(`${ready.base_url}/api/v1/${path}`, request);
        return [response.status, Object.keys(((await response.json()) as { errors: object }).errors)];
      };
      const to_number = `sip:answer@127.0.0.1:${ready.sandbox.sip_port}`;
      const { agent_id, number_id } = ready;
      expect(await refused('calls', { to_number, agent_id, number_id })).toEqual([422, ['to_number.0']]);
      expect(await refused('webhooks/test', { url: `${ready.base_url}/` })).toEqual([422, ['url']]);
      first.signal('SIGTERM');
      expect(await first.ended()).toBe(0);
      expect(first.output).toContain('everything has ended');
      await allGone(Object.values(ready.pids));
      expect(existsSync(join(home, 'ready.json'))).toBe(false);
      const second = new Started({ ...env, SECRET_KEY: 'another key of more than 32 characters' });
      expect(await second.ended()).toBe(1);
      expect(second.output).toContain('SECRET_KEY is not the key that encrypts the secrets of this database');
      await database.drop();
    },
    START,
  );
});
