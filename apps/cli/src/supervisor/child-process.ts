import { type ChildProcess, fork } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Problem } from '../problem.js';
import type { RoleLogs } from './role-logs.js';
import { type Env, type ProvidersEnv, VENDOR_VARIABLES } from '@app/common';

export const ROLES = ['phone', 'api', 'worker', 'dialer', 'embedder'] as const;
export type Role = (typeof ROLES)[number];

/**
 * Protocol between a child process and its supervisor, over Node's IPC channel:
 * - the child sends one message when it is ready: `{ type: 'ready', role, … }`, the api and the embedder with `port`, the dialer with
 *   `sip_port`, the phone with `sip_port` and its `extensions`;
 * - SIGTERM: the child finishes its work and exits with 0;
 * - the event `disconnect` (the supervisor has ended in any way): the child exits.
 */
export interface ReadyMessage {
  type: 'ready';
  role: Role;
  port?: number;
  sip_port?: number;
  extensions?: Record<string, string>;
}

/** `phone` belongs to this program; the other roles are separate programs. */
export const entryOf = (role: Role): URL =>
  new URL(role === 'phone' ? './phone.js' : `../../../${role}/src/main.js`, import.meta.url);

interface ChildOptions {
  role: Role;
  env: NodeJS.ProcessEnv;
  logs: RoleLogs;
  /** Called when a restarted child is ready; it may have another port than before. */
  onRestarted: (ready: ReadyMessage) => void;
  /** Called when the child has failed after every pause of BACKOFF_MS; absent: the installation works without it, and it is started for ever. */
  onGivenUp?: () => void;
}

const READY_MS = 60_000;
/**
 * The young generation in MB, and the threads that collect it beside the main one. The start fills the young generation, and idle processes
 * keep its size: with 16 MB, the default of Node.js, 25 MB more per process than with 4. The api keeps the default: with 8 it lists 6 %
 * fewer calls a second, with 4 a fifth fewer. On two cores the four threads of the default delay each other and the audio of calls; the api
 * creates most calls with one (docs/performance.md).
 */
const COLLECTORS: Record<Role, { youngMb: number; threads: number }> = {
  phone: { youngMb: 4, threads: 2 },
  api: { youngMb: 16, threads: 1 },
  worker: { youngMb: 4, threads: 2 },
  dialer: { youngMb: 4, threads: 2 },
  embedder: { youngMb: 4, threads: 1 },
};

/** Options of V8 for the garbage collection of a process of the role. */
export function collectorOf(role: Role): string[] {
  const { youngMb, threads } = COLLECTORS[role];
  return [`--max-semi-space-size=${youngMb}`, `--v8-pool-size=${threads}`];
}
/** Pauses before restarts; a child that ran for a minute starts again at the first pause. */
const BACKOFF_MS = [500, 1_000, 2_000, 4_000];
/** Between further starts of a child that the installation can do without. */
const LAST_PAUSE_MS = 60_000;
const SETTLED_MS = 60_000;

/** One role as a child process, restarted when it dies. */
export class Child {
  private process: ChildProcess | undefined;
  private exited: Promise<void> = Promise.resolve();
  private stopping = false;
  private failures = 0;

  constructor(private readonly options: ChildOptions) {}

  get pid(): number | undefined {
    return this.process?.pid;
  }

  /** Resolves with the child's ready message. Throws Problem with its last errors when it ends or is not ready within 60 s. */
  async start(): Promise<ReadyMessage> {
    const { role, env, logs } = this.options;
    const child = fork(fileURLToPath(entryOf(role)), {
      env,
      // Ctrl-C signals the terminal's whole process group; detached children end in the order of the supervisor instead.
      detached: true,
      execArgv: collectorOf(role),
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    this.process = child;
    if (child.stdout) logs.collect(role, child.stdout);
    if (child.stderr) logs.collect(role, child.stderr);
    this.exited = new Promise((resolve) => child.once('close', () => resolve()));
    const ready = await this.readyMessage(child);
    this.watch(child);
    return ready;
  }

  /** Starts the child, again after failures. */
  async keepStarting(): Promise<void> {
    try {
      this.options.onRestarted(await this.start());
    } catch (error) {
      console.error(`  ${(error as Error).message}`);
      if (!this.stopping) await this.restart('no start');
    }
  }

  /** Sends SIGTERM, and SIGKILL after `graceMs`. Resolves when the process has ended. */
  async stop(graceMs: number): Promise<void> {
    this.stopping = true;
    if (!this.process || isOver(this.process)) return;
    this.process.kill('SIGTERM');
    const timer = setTimeout(() => this.kill(), graceMs);
    await this.exited;
    clearTimeout(timer);
  }

  kill(): void {
    this.stopping = true;
    this.process?.kill('SIGKILL');
  }

  private readyMessage(child: ChildProcess): Promise<ReadyMessage> {
    const { role, logs } = this.options;
    return new Promise((resolve, reject) => {
      const fail = (what: string) =>
        reject(new Problem([`The ${role} ${what}.`, ...logs.lastErrors(role)].join('\n  ')));
      const timer = setTimeout(() => {
        fail(`was not ready within ${READY_MS / 1000} s`);
        child.kill('SIGKILL');
      }, READY_MS);
      child.once('message', (message) => {
        clearTimeout(timer);
        resolve(message as ReadyMessage);
      });
      child.once('error', reject);
      child.once('close', (code, signal) => {
        clearTimeout(timer);
        fail(`ended (${signal ?? code}) before it was ready`);
      });
    });
  }

  private watch(child: ChildProcess): void {
    const since = performance.now();
    child.once('close', (code, signal) => {
      if (this.stopping) return;
      if (performance.now() - since > SETTLED_MS) this.failures = 0;
      void this.restart(String(signal ?? code));
    });
  }

  private async restart(how: string): Promise<void> {
    const { role, onGivenUp } = this.options;
    const pause = BACKOFF_MS[this.failures] ?? (onGivenUp ? undefined : LAST_PAUSE_MS);
    this.failures += 1;
    if (pause === undefined) {
      console.error(`  the ${role} ended (${how}) ${this.failures} times in a row and is not restarted`);
      return onGivenUp?.();
    }
    console.error(`  the ${role} ended unexpectedly (${how}): restarting it in ${pause / 1000} s`);
    await delay(pause, undefined, { ref: false });
    if (!this.stopping) await this.keepStarting();
  }
}

const isOver = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null;

const LOOPBACK = '127.0.0.0/8,::1/128';

export interface Chosen {
  home: string;
  databaseUrl: string;
  secretKey: string;
  port: number;
  sipPort: number;
  phonePort: number;
  /** The port and address of the embedder; absent: `start` does not run it. */
  embedder?: { port: number; url: string };
}

/**
 * The environment of the child processes: that of `start`, plus the values that it chose. An installation on the embedded database is for
 * evaluation: calls and webhooks may go to loopback, where the sandbox phone and the user's test receivers listen.
 */
export function childEnvironment(env: Env, chosen: Chosen): NodeJS.ProcessEnv {
  // Each process has its own HEALTH_PORT (healthPortOf); only `start` uses the token. Values that `start` chose may come from files.
  const {
    HEALTH_PORT: _health,
    BOOTSTRAP_TOKEN: _token,
    BOOTSTRAP_TOKEN_FILE: _tokenFile,
    DATABASE_URL_FILE: _urlFile,
    DATABASE_PASSWORD: _password,
    DATABASE_PASSWORD_FILE: _passwordFile,
    SECRET_KEY_FILE: _keyFile,
    ...inherited
  } = process.env;
  return {
    ...inherited,
    ...(opensLoopback(env, env.SIP_ALLOW_CIDRS) ? { SIP_ALLOW_CIDRS: LOOPBACK } : {}),
    ...(opensLoopback(env, env.EGRESS_ALLOW_CIDRS) ? { EGRESS_ALLOW_CIDRS: LOOPBACK } : {}),
    ...playedVendors(env),
    TRUNKLINE_HOME: chosen.home,
    DATABASE_URL: chosen.databaseUrl,
    SECRET_KEY: chosen.secretKey,
    PORT: String(chosen.port),
    SIP_PORT: String(chosen.sipPort),
    SANDBOX_SIP_PORT: String(chosen.phonePort),
    // Its processes are on one machine.
    INTERNAL_ADDRESS: env.INTERNAL_ADDRESS ?? '127.0.0.1',
    ...(chosen.embedder && { EMBEDDER_PORT: String(chosen.embedder.port), EMBEDDER_URL: chosen.embedder.url }),
  };
}

/**
 * Loopback opens only on the embedded database, and only if the operator lists no networks. A `DATABASE_URL` on loopback may still be a
 * production database: it may run on the same machine or behind a local proxy.
 */
export const opensLoopback = (env: Pick<Env, 'DATABASE_URL'>, list: readonly string[]): boolean =>
  list.length === 0 && env.DATABASE_URL === undefined;

/**
 * The vendors of agents that the sandbox server plays in an installation on the embedded database: those without a key and without an
 * address. On a database of the operator, agents of such vendors fail.
 */
export function playedVendors(env: Env): Partial<Record<keyof ProvidersEnv, 'sandbox'>> {
  if (env.DATABASE_URL !== undefined) return {};
  const vendors = [...Object.values(VENDOR_VARIABLES), { url: 'GEMINI_BASE_URL', key: 'GEMINI_API_KEY' } as const];
  const played = vendors.filter(({ url, key }) => env[url] === undefined && env[key] === undefined);
  return Object.fromEntries(played.map(({ url }) => [url, 'sandbox']));
}

/** Each process needs a port of its own: the api listens on HEALTH_PORT, the others on the next ones. */
const AFTER_HEALTH_PORT: Partial<Record<Role, number>> = { api: 0, worker: 1, dialer: 2, embedder: 3 };

export function healthPortOf(role: Role, { HEALTH_PORT }: Pick<Env, 'HEALTH_PORT'>): { HEALTH_PORT?: string } {
  const after = AFTER_HEALTH_PORT[role];
  if (HEALTH_PORT === undefined || after === undefined) return {};
  return { HEALTH_PORT: String(HEALTH_PORT === 0 ? 0 : HEALTH_PORT + after) };
}
