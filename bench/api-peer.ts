import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

/** A server process under test. */
export interface Peer {
  name: string;
  pid: number;
  port: number;
  /** User and system CPU time so far. */
  cpuMs(): Promise<number>;
  /** Peak memory. */
  peakMb(): Promise<number>;
  stop(): Promise<void>;
}

export interface PeerPlan {
  name: string;
  /** The compiled module, relative to this one. */
  module: string;
  databaseUrl: string;
  /** Options of Node. */
  execArgv?: string[];
  /** Path of another Node. */
  node?: string;
  /** Additional environment variables. */
  settings?: Record<string, string>;
}

export const POOL = 10;
/** /proc counts CPU in ticks of 1/100 s (sysconf(_SC_CLK_TCK) on Linux). */
const TICK_MS = 10;
const READY_MS = 30_000;

/** Starts a server with production settings; its request log goes to /dev/null. */
export async function startPeer({ name, module, databaseUrl, execArgv = [], node, settings }: PeerPlan): Promise<Peer> {
  const child = fork(fileURLToPath(new URL(module, import.meta.url)), {
    execPath: node ?? process.execPath,
    execArgv: process.env.BENCH_PROFILE === name ? [...execArgv, '--cpu-prof', '--cpu-prof-dir=.'] : execArgv,
    env: {
      PATH: process.env.PATH,
      DATABASE_URL: databaseUrl,
      DATABASE_POOL: String(POOL),
      SECRET_KEY: 'the secret key of the benchmark, 32+ characters',
      HOST: '127.0.0.1',
      PORT: '0',
      PUBLIC_URL: 'http://bench.example.com',
      // Requests are counted as in production, but never rejected.
      REQUESTS_PER_MINUTE: '100000000',
      ...settings,
    },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const port = await readyPort(child, name);
  return {
    name,
    pid: child.pid ?? 0,
    port,
    cpuMs: () => cpuOf(child),
    peakMb: () => peakOf(child),
    stop: async () => {
      if (child.exitCode !== null) return;
      const exit = once(child, 'exit');
      child.kill('SIGTERM');
      await exit;
    },
  };
}

async function readyPort(child: ChildProcess, name: string): Promise<number> {
  const signal = AbortSignal.timeout(READY_MS);
  const gone = once(child, 'exit', { signal }).then(([code]) => {
    throw new Error(`${name} ended with ${String(code)} before it was ready.`);
  });
  const [message] = (await Promise.race([once(child, 'message', { signal }), gone])) as [{ port: number }];
  gone.catch(() => undefined);
  return message.port;
}

async function cpuOf(child: ChildProcess): Promise<number> {
  const stat = await readFile(`/proc/${child.pid}/stat`, 'latin1');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) * TICK_MS;
}

async function peakOf(child: ChildProcess): Promise<number> {
  const status = await readFile(`/proc/${child.pid}/status`, 'latin1');
  return Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) / 1024;
}
