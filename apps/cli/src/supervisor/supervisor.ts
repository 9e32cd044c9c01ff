import { EgressModule } from '@app/egress';
import { StorageModule } from '@app/storage';
import { WorkspaceModule } from '@app/workspace';
import { AuthModule } from '@app/auth';
import { Encryption, type Env } from '@app/common';
import { mistypedNames } from '@app/metrics';
import { poolOf } from '@app/database';
import { randomBytes } from 'node:crypto';
import { accessSync, chmodSync, constants, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import {
  Child,
  childEnvironment,
  type Chosen,
  healthPortOf,
  opensLoopback,
  type ReadyMessage,
  type Role,
} from './child-process.js';
import { withServices } from '../command-context.js';
import { lastPhonePort, openWorkspace, type Workspace } from './demo-workspace.js';
import { chooseSearch, type Search } from './search-choice.js';
import { startEmbeddedPostgres, type EmbeddedPostgres } from '../postgres/embedded-postgres.js';
import {
  homeOf,
  keptKey,
  keyFile,
  lockHome,
  type Ready,
  removeReady,
  writeInstance,
  writePrivate,
  writeReady,
} from '../installation-home.js';
import { checkKey, migrateAll, withDatabase } from '../installation.js';
import { freePort, isFree, requirePort } from '../ports.js';
import { Problem } from '../problem.js';
import { RoleLogs } from './role-logs.js';
import { StopRequest } from './stop-request.js';
import { welcome } from './welcome.js';

/** Prints one line per step, with its duration. */
export async function step<T>(title: string, work: () => Promise<T>): Promise<T> {
  const began = performance.now();
  try {
    const result = await work();
    say(`${title} (${seconds(began)})`);
    return result;
  } catch (error) {
    say(`${title} failed`);
    throw error;
  }
}

export const say = (line: string): void => console.log(`  ${line}`);

export const seconds = (began: number): string => `${((performance.now() - began) / 1000).toFixed(1)} s`;

const PHONE_HOST = '127.0.0.1';
/** Requests and deliveries under way get this long after SIGTERM; live calls get DRAIN_SECONDS before it. */
const GRACE_MS = 10_000;

/**
 * Runs PostgreSQL (unless DATABASE_URL is set), the sandbox phone, api, worker, dialer and embedder as child processes on this machine.
 * Resolves with the exit code when all have ended: 0 after a stop request, 1 when a process failed.
 * Throws Problem when the start fails; no process is left running.
 */
export async function startAll(env: Env): Promise<number> {
  outliveReaders();
  const home = homeOf(env);
  openHome(home);
  const unlock = lockHome(home);
  try {
    return await new Supervisor(env, home).run();
  } finally {
    unlock();
  }
}

/** Throws Problem when the directory is not writable. */
function openHome(home: string): void {
  try {
    mkdirSync(home, { recursive: true, mode: 0o700 });
    accessSync(home, constants.W_OK);
    // Started by root, PostgreSQL runs as another user, which must be able to enter this directory.
    if (process.getuid?.() === 0) chmodSync(home, 0o711);
  } catch (error) {
    const why = (error as Error).message;
    throw new Problem(
      `TRUNKLINE_HOME ${home} cannot be used: ${why}. Set it to a folder that this user can write to.`,
      {
        cause: error,
      },
    );
  }
}

/** Calls continue when the reader of the output ends (`npm start | head`). */
function outliveReaders(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
    });
  }
}

class Supervisor {
  private readonly began = performance.now();
  private readonly logs: RoleLogs;
  private readonly stop = new StopRequest(() => this.force());
  private readonly children = new Map<Role, Child>();
  private postgres: EmbeddedPostgres | undefined;
  private isUp = false;
  /** Of the running dialer: it takes a free port, another one after a restart, when its own is in use. */
  private sipPort: number | undefined;
  /** Writes ready.json, at first and after each restart of a child, whose pid has changed. */
  private announce: () => void = () => {};

  constructor(
    private readonly env: Env,
    private readonly home: string,
  ) {
    this.logs = new RoleLogs(join(home, 'logs'), env.LOG_TO);
  }

  async run(): Promise<number> {
    removeReady(this.home);
    const up = this.bringUp();
    try {
      await Promise.race([up, this.stop.made]);
      return await this.stop.made;
    } finally {
      await this.bringDown(up);
      this.stop.dispose();
    }
  }

  private async bringUp(): Promise<void> {
    for (const { name, meant } of mistypedNames(process.env))
      say(`${name} is unknown and ignored; did you mean ${meant}?`);
    const ports = await this.choosePorts();
    const search = await chooseSearch(this.env);
    if (search.reason !== null) say(`knowledge bases are searched by words alone: ${search.reason}`);
    const databaseUrl = await this.database();
    const secretKey = this.secretKey();
    this.goOn();
    await step('database schema', () => migrateAll(databaseUrl, this.env));
    const { embedder } = search;
    const chosen: Chosen = { home: this.home, databaseUrl, secretKey, ...ports, ...(embedder && { embedder }) };
    await withDatabase(databaseUrl, (dataSource) =>
      checkKey(poolOf(dataSource), new Encryption(secretKey, this.env.SECRET_KEY_FALLBACKS)),
    );
    this.goOn();
    this.sayWhatIsOpen();
    const ready = await step('sandbox phone, api, worker, dialer', () => this.startChildren(chosen));
    this.sipPort ??= ready.dialer.sip_port;
    const { sip_port: phonePort, extensions } = ready.phone;
    if (!phonePort || !extensions) throw new Error('The sandbox phone reported no address.');
    const sandbox = { sip_host: PHONE_HOST, sip_port: phonePort, extensions };
    const workspace = await step('workspace', () => this.workspace(chosen, phonePort));
    this.goOn();
    const url = embedder?.url ?? this.env.EMBEDDER_URL;
    writeInstance(this.home, {
      database_url: databaseUrl,
      secret_key: secretKey,
      ...(url && { embedder_url: url }),
      environment: childEnvironment(this.env, chosen),
    });
    await this.open(ready.api.port ?? chosen.port, sandbox, workspace, search);
  }

  /** Runs before any process starts, so that a busy port is reported at once. */
  private async choosePorts(): Promise<{ port: number; sipPort: number; phonePort: number }> {
    const { PORT, HOST, SIP_PORT, SIP_BIND, SANDBOX_SIP_PORT } = this.env;
    await requirePort('PORT', PORT, HOST, ['tcp']);
    await requirePort('SANDBOX_SIP_PORT', SANDBOX_SIP_PORT, PHONE_HOST, ['udp', 'tcp']);
    if (process.env.SIP_PORT) await requirePort('SIP_PORT', SIP_PORT, SIP_BIND, ['udp', 'tcp']);
    const sipPort = (await isFree(SIP_PORT, SIP_BIND, ['udp', 'tcp'])) ? SIP_PORT : 0;
    if (sipPort !== SIP_PORT) say(`SIP port ${SIP_PORT} is in use by another program; the dialer takes a free port`);
    const phonePort = SANDBOX_SIP_PORT || lastPhonePort(this.home);
    // The supervisor chooses the port because the api shows it in its examples.
    const phoneFree = await isFree(phonePort, PHONE_HOST, ['udp', 'tcp']);
    return {
      port: PORT || (await freePort(HOST)),
      sipPort,
      phonePort: phoneFree ? phonePort : await freePort(PHONE_HOST, ['udp', 'tcp']),
    };
  }

  private async database(): Promise<string> {
    if (this.env.DATABASE_URL) return this.env.DATABASE_URL;
    const postgres = await step('PostgreSQL', () => startEmbeddedPostgres({ home: this.home, say }));
    this.postgres = postgres;
    void postgres.ended.then(() => this.onDatabaseEnded());
    return postgres.url;
  }

  private onDatabaseEnded(): void {
    if (this.stop.isMade) return;
    console.error(`  PostgreSQL ended unexpectedly: see ${join(this.home, 'logs/postgres.log')}`);
    this.stop.fail();
  }

  private secretKey(): string {
    const key = this.env.SECRET_KEY ?? keptKey(this.home);
    if (key) return key;
    const made = randomBytes(32).toString('hex');
    writePrivate(keyFile(this.home), made);
    return made;
  }

  private sayWhatIsOpen(): void {
    const { env } = this;
    const open = [
      ...(opensLoopback(env, env.SIP_ALLOW_CIDRS) ? ['calls (SIP_ALLOW_CIDRS)'] : []),
      ...(opensLoopback(env, env.EGRESS_ALLOW_CIDRS) ? ['webhooks (EGRESS_ALLOW_CIDRS)'] : []),
    ];
    if (open.length > 0) say(`evaluation mode (embedded database): ${open.join(' and ')} may go to loopback`);
    // The proposed first call goes to the sandbox phone, which listens on loopback.
    else if (env.DATABASE_URL !== undefined && env.SIP_ALLOW_CIDRS.length === 0)
      say('DATABASE_URL is set, so loopback stays closed; to call the sandbox phone, set SIP_ALLOW_CIDRS=127.0.0.1/32');
  }

  /** The embedder is not waited for: the others find it when its model is loaded. */
  private async startChildren(chosen: Chosen): Promise<Record<Exclude<Role, 'embedder'>, ReadyMessage>> {
    const env = childEnvironment(this.env, chosen);
    const child = (role: Role) => this.child(role, { ...env, ...healthPortOf(role, this.env) });
    const start = (role: Role) => child(role).start();
    if (chosen.embedder) void child('embedder').keepStarting();
    const [phone, api, worker, dialer] = await Promise.all([
      start('phone'),
      start('api'),
      start('worker'),
      start('dialer'),
    ]);
    return { phone, api, worker, dialer };
  }

  private child(role: Role, env: NodeJS.ProcessEnv): Child {
    const { logs } = this;
    const onRestarted = (ready: ReadyMessage): void => {
      if (role === 'dialer') this.sipPort = ready.sip_port;
      this.announce();
    };
    const given = role === 'embedder' ? {} : { onGivenUp: () => this.stop.fail() };
    const child = new Child({ role, env, logs, onRestarted, ...given });
    this.children.set(role, child);
    return child;
  }

  private workspace(chosen: Chosen, phonePort: number): Promise<Workspace | undefined> {
    const settings = { ...this.env, DATABASE_URL: chosen.databaseUrl, SECRET_KEY: chosen.secretKey };
    return withServices(settings, [EgressModule, StorageModule, WorkspaceModule, AuthModule], (services) =>
      openWorkspace(services, this.home, phonePort, this.env.BOOTSTRAP_TOKEN),
    );
  }

  private async open(
    port: number,
    sandbox: Ready['sandbox'],
    workspace: Workspace | undefined,
    search: Search,
  ): Promise<void> {
    const base = `http://localhost:${port}`;
    const [consolePage, guidePage] = await Promise.all(
      ['console', 'guide'].map((page) => fetch(`http://127.0.0.1:${port}/${page}/`)),
    );
    const addresses = {
      base_url: base,
      docs_url: this.env.DOCS ? `${base}/docs` : null,
      console_url: consolePage?.status === 200 ? `${base}/console` : null,
      guide_url: guidePage?.status === 200 ? `${base}/guide` : null,
    };
    const none = {
      token: null,
      account_id: null,
      agent_id: null,
      number_id: null,
      trunk_id: null,
      webhook_secret: null,
      answered_number: null,
    };
    this.announce = () => {
      if (this.stop.isMade) return;
      writeReady(this.home, {
        ...addresses,
        ...(workspace ?? none),
        sip_port: this.sipPort ?? null,
        sandbox,
        search: { provider: search.provider, reason: search.reason },
        pids: this.pids(),
      });
    };
    this.announce();
    this.isUp = true;
    const { home, sipPort } = this;
    const isConsoleOn = this.env.CONSOLE;
    const took = seconds(this.began);
    console.log(welcome({ ...addresses, isConsoleOn, workspace, sipPort, sandbox, search, home, took }));
  }

  private pids(): Record<string, number> {
    const parts = [...this.children].map(([role, child]): [string, number | undefined] => [role, child.pid]);
    const all = [['supervisor', process.pid], ['postgres', this.postgres?.pid], ...parts] as [
      string,
      number | undefined,
    ][];
    return Object.fromEntries(all.filter((entry): entry is [string, number] => entry[1] !== undefined));
  }

  /** Checked between two steps of the start: after a stop request no further step begins. */
  private goOn(): void {
    if (this.stop.isMade) throw new Problem('Stopped before the start was complete.');
  }

  /** Stops the processes that accept work first, then those that finish it, and the database last. */
  private async bringDown(up: Promise<void>): Promise<void> {
    const began = performance.now();
    if (this.isUp) say(`ending: live calls get up to ${this.env.DRAIN_SECONDS} s; Ctrl-C again ends everything now`);
    else this.killChildren();
    // `run` rejects with the reason; here only the end of the start matters.
    await Promise.allSettled([up]);
    await this.endChild('api', GRACE_MS);
    await this.endChild('dialer', this.env.DRAIN_SECONDS * 1000 + GRACE_MS);
    await this.endChild('worker', GRACE_MS);
    await this.endChild('embedder', GRACE_MS);
    await this.endChild('phone', GRACE_MS);
    await this.postgres?.stop();
    this.logs.close();
    removeReady(this.home);
    if (this.children.size > 0) say(`everything has ended (${seconds(began)})`);
  }

  private async endChild(role: Role, graceMs: number): Promise<void> {
    await this.children.get(role)?.stop(graceMs);
  }

  private killChildren(): void {
    for (const child of this.children.values()) child.kill();
  }

  private force(): void {
    say('ending now');
    this.killChildren();
  }
}
