import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.js';

const MAIN = 'dist/apps/cli/src/main.js';
const IS_UP = 'Press Ctrl-C to stop it';

/** Calls and webhooks may go to this machine; no test meets the limits of an address that all tests share. */
const SETTINGS = {
  SIP_ALLOW_CIDRS: '127.0.0.0/8',
  EGRESS_ALLOW_CIDRS: '127.0.0.0/8',
  SIP_BIND: '127.0.0.1',
  REQUESTS_PER_MINUTE: '1000000',
  ADDRESS_REQUESTS_PER_MINUTE: '1000000',
  AUTH_FAILURES_PER_MINUTE: '1000000',
  LOG_LEVEL: 'warn',
  DRAIN_SECONDS: '1',
  // The vectors of all texts would take processor time from every story, and stories about words would find more than these.
  EMBEDDINGS_PROVIDER: 'none',
};

/** How tests reach a service; it can be passed on as JSON. */
export interface StartedService {
  baseUrl: string;
  sandboxPort: number;
  sipPort: number;
  /** For commands on the installation. */
  env: NodeJS.ProcessEnv;
}

/** The service of the run. */
export interface RunningService extends StartedService {
  /** Of the api; the worker and the dialer have the next two. */
  healthPort: number;
  databaseUrl: string;
  /** Where puppeteer finds the browser of the run; undefined without Chromium. */
  browserEndpoint?: string | undefined;
}

interface Ready {
  base_url: string;
  sip_port: number;
  sandbox: { sip_port: number };
}

/**
 * Starts the built service with all roles, in a folder of its own; without DATABASE_URL among its settings with a PostgreSQL of its own. It does not
 * get the variables of the caller: keys of vendors and addresses of servers change answers.
 */
export async function startService(
  settings: Record<string, string>,
): Promise<{ running: StartedService; stop: () => Promise<void> }> {
  const home = mkdtempSync(join(tmpdir(), 'trunkline-service-'));
  // Started by root, PostgreSQL runs as another user, which must be able to enter the directory.
  chmodSync(home, 0o711);
  const { PATH, HOME, TMPDIR, LANG } = process.env;
  const inherited = Object.entries({ PATH, HOME, TMPDIR, LANG }).filter(([, value]) => value !== undefined);
  const [SANDBOX_SIP_PORT, SIP_PORT] = [String(await freePort()), String(await freePort())];
  const env: NodeJS.ProcessEnv = {
    ...Object.fromEntries(inherited),
    ...SETTINGS,
    ...{ TRUNKLINE_HOME: home, PORT: '0', SANDBOX_SIP_PORT, SIP_PORT },
    ...settings,
  };
  const child = spawn(process.execPath, [MAIN, 'start'], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const stop = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) {
      const closed = once(child, 'close');
      child.kill('SIGINT');
      await closed;
    }
    await rm(home, { recursive: true, force: true });
  };
  try {
    await isUp(child);
    const ready = JSON.parse(readFileSync(join(home, 'ready.json'), 'utf8')) as Ready;
    const running = {
      baseUrl: `http://127.0.0.1:${new URL(ready.base_url).port}`,
      sandboxPort: ready.sandbox.sip_port,
      sipPort: ready.sip_port,
      env,
    };
    return { running, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function isUp(child: ChildProcess): Promise<void> {
  let output = '';
  await new Promise<void>((resolve, reject) => {
    const read = (text: string): void => {
      output += text;
      if (output.includes(IS_UP)) resolve();
    };
    for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', read);
    child.once('exit', (code) => reject(new Error(`The service ended with ${code} while it started:\n${output}`)));
  });
  // What it prints from now on is for its log files.
  for (const stream of [child.stdout, child.stderr]) stream?.removeAllListeners('data').resume();
}
