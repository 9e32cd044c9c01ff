import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, freePorts } from './free-port.js';

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
};

/** How test files reach the service; it can be passed on as JSON. */
export interface RunningService {
  baseUrl: string;
  sandboxPort: number;
  sipPort: number;
  /** Of the api; the worker and the dialer have the next two. */
  healthPort: number;
  databaseUrl: string;
  /** For commands on the installation. */
  env: NodeJS.ProcessEnv;
}

interface Ready {
  base_url: string;
  sip_port: number;
  sandbox: { sip_port: number };
}

/** Starts the built service with all roles on a migrated database. */
export async function startService(
  databaseUrl: string,
): Promise<{ running: RunningService; stop: () => Promise<void> }> {
  const home = mkdtempSync(join(tmpdir(), 'trunkline-service-'));
  const { PATH, HOME, TMPDIR } = process.env;
  const [SANDBOX_SIP_PORT, SIP_PORT] = [String(await freePort()), String(await freePort())];
  const healthPort = await freePorts(3);
  const env: NodeJS.ProcessEnv = {
    ...{ PATH, HOME, ...(TMPDIR !== undefined && { TMPDIR }) },
    ...SETTINGS,
    ...{ TRUNKLINE_HOME: home, DATABASE_URL: databaseUrl, PORT: '0', HOST: '127.0.0.1', SANDBOX_SIP_PORT, SIP_PORT },
    HEALTH_PORT: String(healthPort),
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
      healthPort,
      databaseUrl,
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
