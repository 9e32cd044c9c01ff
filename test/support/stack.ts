import { fork, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { runBuiltCommand } from './built-command.js';
import { createTestDatabase, type TestDatabase } from './database.js';
import { PATIENCE_MS } from './eventually.js';
import { freePort } from './free-port.js';

export type Role = 'api' | 'worker' | 'dialer' | 'embedder';

export interface StackProcess {
  role: Role;
  child: ChildProcess;
  /** The ready message of the process: `port`, `sip_port`, the `owner` of its leases. */
  ready: Record<string, unknown>;
}

export interface StackOptions {
  apis?: number;
  dialers?: number;
  workers?: number;
  /** Runs the role embedder, and the others use it; without it, search is by words alone. */
  embedder?: boolean;
  /** A migrated database of the test; default: a clone of the template. */
  database?: TestDatabase;
  /** `redis://…`; absent: the queue is in PostgreSQL. */
  queueUrl?: string;
  env?: Record<string, string>;
  /** The `dist` folder of another build. */
  build?: string;
  /** Options of Node for a process. */
  execArgv?: (role: Role) => string[];
  /** Collects the output of the processes in `output` instead of printing it. */
  keepsOutput?: boolean;
}

/** Long enough to start three processes at once on a busy machine. */
const PORTS_EACH = 400;
/** Below the ephemeral ports; parallel test files start far from each other. */
let nextRtpPort = 22_000 + 2_000 * ((Number(process.env.JEST_WORKER_ID ?? 1) - 1) % 5);

/**
 * The built service as in production: api, worker, dialer and embedder processes on a separate database. Calls and webhooks may go to loopback, as in
 * the demo.
 */
export class Stack {
  readonly processes: StackProcess[] = [];
  /** Chunks of stdout and stderr of all processes, if `keepsOutput`. */
  readonly output: string[] = [];

  private constructor(
    readonly database: TestDatabase,
    readonly home: string,
    private readonly env: NodeJS.ProcessEnv,
    private readonly keepsOutput: boolean,
    private readonly build: string,
    private readonly execArgv: ((role: Role) => string[]) | undefined,
  ) {}

  static async start(options: StackOptions = {}): Promise<Stack> {
    const database = options.database ?? (await createTestDatabase());
    const home = await mkdtemp(join(tmpdir(), 'trunkline-stack-'));
    const env = {
      ...process.env,
      NODE_OPTIONS: '',
      DATABASE_URL: database.url,
      QUEUE_URL: options.queueUrl ?? '',
      SECRET_KEY: randomBytes(32).toString('hex'),
      TRUNKLINE_HOME: home,
      SIP_ALLOW_CIDRS: '127.0.0.0/8',
      EGRESS_ALLOW_CIDRS: '127.0.0.0/8',
      SIP_BIND: '127.0.0.1',
      LOG_LEVEL: 'warn',
      DRAIN_SECONDS: '2',
      PORT: String(await freePort()),
      ...(options.embedder && embedderAt(await freePort())),
      ...options.env,
    };
    const { keepsOutput = false, build = 'dist' } = options;
    const stack = new Stack(database, home, env, keepsOutput, resolve(build), options.execArgv);
    try {
      const roles: Role[] = [
        ...times<Role>('api', options.apis ?? 1),
        ...times<Role>('worker', options.workers ?? 1),
        ...times<Role>('dialer', options.dialers ?? 1),
        ...times<Role>('embedder', options.embedder ? 1 : 0),
      ];
      await Promise.all(roles.map((role) => stack.add(role)));
    } catch (error) {
      await stack.stop();
      throw error;
    }
    return stack;
  }

  get secretKey(): string {
    return this.env.SECRET_KEY ?? '';
  }

  /** QUEUE_URL of the processes; empty: the queues are in the database. */
  get queueUrl(): string {
    return this.env.QUEUE_URL ?? '';
  }

  get baseUrl(): string {
    const api = this.processes.find((one) => one.role === 'api');
    return `http://127.0.0.1:${String(api?.ready.port)}`;
  }

  /** The address of the role embedder; empty: none was asked for. */
  get embedderUrl(): string {
    return this.env.EMBEDDER_URL ?? '';
  }

  /** Starts another process of a role, optionally with its own variables. */
  async add(role: Role, env: Record<string, string> = {}): Promise<StackProcess> {
    const first = nextRtpPort;
    if (role === 'dialer') nextRtpPort += PORTS_EACH;
    const child = fork(join(this.build, 'apps', role, 'src/main.js'), {
      // Not those of this process: source maps take a tenth of the start.
      execArgv: this.execArgv?.(role) ?? [],
      env: { ...this.env, SIP_PORT: '0', RTP_PORTS: `${first}-${first + PORTS_EACH - 1}`, ...env },
      stdio: this.keepsOutput ? ['ignore', 'pipe', 'pipe', 'ipc'] : ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => this.output.push(text));
    const ready = await readyMessage(child, role).catch(async (error: unknown) => {
      // It is not one of `processes`, which `stop` ends.
      await killed(child);
      throw error;
    });
    const started = { role, child, ready };
    this.processes.push(started);
    return started;
  }

  /** Runs a command of the same build on this installation, such as `apply`. @returns its standard output */
  command(words: readonly string[], input?: string): Promise<string> {
    return runBuiltCommand(words, this.env, { input, build: this.build });
  }

  /** Kills the process with SIGKILL. */
  async kill(one: StackProcess): Promise<void> {
    this.processes.splice(this.processes.indexOf(one), 1);
    await killed(one.child);
  }

  /** Ends the process with SIGTERM, as a deployment does. @returns its exit code, or -1 when a signal ended it */
  async retire(one: StackProcess): Promise<number> {
    this.processes.splice(this.processes.indexOf(one), 1);
    const exit = once(one.child, 'exit');
    one.child.kill('SIGTERM');
    const [code] = (await exit) as [number | null];
    return code ?? -1;
  }

  async stop(): Promise<void> {
    await Promise.all(this.processes.splice(0).map(({ child }) => ended(child)));
    await this.database.drop();
    await rm(this.home, { recursive: true, force: true });
  }
}

async function readyMessage(child: ChildProcess, role: Role): Promise<Record<string, unknown>> {
  const timeout = AbortSignal.timeout(PATIENCE_MS);
  const first = ['exit', 'message'].map((event) =>
    once(child, event, { signal: timeout }).then(([value]) => [event, value]),
  );
  const [event, value] = (await Promise.race(first).catch((cause: unknown) => {
    throw new Error(`${role} was not ready within ${PATIENCE_MS} ms.`, { cause });
  })) as [string, Record<string, unknown>];
  for (const one of first) one.catch(() => undefined);
  if (event === 'exit') throw new Error(`${role} ended with ${JSON.stringify(value)} before it was ready.`);
  return value;
}

async function killed(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  // Not `exit`: the last output may not have arrived yet.
  const closed = once(child, 'close');
  child.kill('SIGTERM');
  await closed;
}

const embedderAt = (port: number) => ({ EMBEDDER_PORT: String(port), EMBEDDER_URL: `http://127.0.0.1:${port}` });

const times = <T>(item: T, count: number): T[] => Array.from({ length: count }, () => item);
