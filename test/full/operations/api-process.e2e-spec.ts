import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { Pool } from 'pg';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { aWorkspace } from '../../support/factories.js';

let database: TestDatabase;
let token: string;
const children: ChildProcess[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  const pool = new Pool({ connectionString: database.url });
  ({ token } = await aWorkspace(pool));
  await pool.end();
});
afterEach(() => children.splice(0).forEach((child) => child.kill('SIGKILL')));
afterAll(() => database.drop());

/** The built process, as the supervisor starts it. */
function start(variables: Record<string, string> = {}): ChildProcess {
  const child = fork(join(process.cwd(), 'dist/apps/api/src/main.js'), {
    env: {
      PATH: process.env.PATH,
      DATABASE_URL: database.url,
      SECRET_KEY: 'the secret key of the tests, 32+ characters',
      HOST: '127.0.0.1',
      PORT: '0',
      LOG_LEVEL: 'silent',
      ...variables,
    },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  children.push(child);
  return child;
}

async function readyPort(child: ChildProcess): Promise<number> {
  const [message] = (await once(child, 'message')) as [{ type: string; role: string; port: number }];
  expect(message).toEqual({ type: 'ready', role: 'api', port: expect.any(Number) });
  return message.port;
}

async function failure(variables: Record<string, string>): Promise<{ code: number; said: string }> {
  const child = start(variables);
  const [[code], said] = await Promise.all([once(child, 'exit'), text(child.stderr!)]);
  return { code: code as number, said };
}

describe('the api process', () => {
  it('finishes requests in progress when it stops', async () => {
    const child = start();
    const port = await readyPort(child);
    expect((await fetch(`http://127.0.0.1:${port}/health/ready`)).status).toBe(200);
    const headers = {
      authorization: `Bearer ${token}`,
      expect: '100-continue',
      'content-type': 'application/json',
      'transfer-encoding': 'chunked',
    };
    const slow = request({ port, host: '127.0.0.1', method: 'POST', path: '/api/v1/calls', headers });
    slow.flushHeaders();
    await once(slow, 'continue');
    slow.write('{"to_number":');
    const answered = once(slow, 'response');
    const exited = once(child, 'exit');
    child.kill('SIGTERM');
    await refused(port);
    slow.end('"x"}');
    const [response] = (await answered) as [IncomingMessage];
    response.resume();
    expect(response.statusCode).toBe(422);
    expect(await exited).toEqual([0, null]);
  });

  it('exits when its supervisor has exited', async () => {
    const child = start();
    await readyPort(child);
    child.disconnect();
    // The hard way, by itself: a clean exit would flush its log to a reader that is gone (see leaveProcess).
    expect(await once(child, 'exit')).toEqual([null, 'SIGKILL']);
  });

  it('reports a port in use in one line', async () => {
    const other: Server = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const { code, said } = await failure({ PORT: String(port) });
    other.close();
    expect(code).toBe(1);
    expect(said.trim()).toBe(`PORT ${port} is in use by another program. Set PORT to a free port.`);
  });

  it.each([
    [{ STORAGE_URL: `file:${join(process.cwd(), 'package.json')}` }, { msg: expect.stringContaining('STORAGE_URL') }],
    [{ SIP_ALOW_CIDRS: '10.0.0.0/8' }, { variable: 'SIP_ALOW_CIDRS', meant: 'SIP_ALLOW_CIDRS' }],
  ])('starts with %j and logs what will not work', async (variables, line) => {
    const child = start({ LOG_LEVEL: 'warn', ...variables });
    const [said] = (await once(createInterface(child.stdout!), 'line')) as [string];
    expect(JSON.parse(said)).toMatchObject(line);
  });

  it.each([
    [{ SECRET_KEY: '' }, /^SECRET_KEY is required: the output of openssl rand -hex 32/],
    [{ DATABASE_URL: '' }, /^DATABASE_URL is required, for example/],
    [{ PORT: 'abc' }, /PORT: .*Example: PORT=3000/],
    [{ DATABASE_URL: 'postgres://u:p@127.0.0.1:1/x' }, /^The database of DATABASE_URL cannot be reached/],
  ])('does not start with %j and prints the reason', async (variables, sentence) => {
    const { code, said } = await failure(variables);
    expect(code).toBe(1);
    expect(said).toMatch(sentence);
    expect(said).not.toMatch(/\n\s+at /);
  });
});

/** Resolves when nobody takes connections on the port any more. */
async function refused(port: number): Promise<void> {
  for (;;) {
    try {
      await fetch(`http://127.0.0.1:${port}/health/live`);
    } catch {
      return;
    }
  }
}
