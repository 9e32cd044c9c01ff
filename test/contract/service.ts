import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runBuiltCommand } from '../support/built-command.js';
import { freePort } from '../support/free-port.js';

/** The settings that the stored answers depend on, and limits that thousands of wrong requests do not reach. */
const SETTINGS = {
  PUBLIC_URL: 'http://trunkline.test',
  ANALYSIS_MODEL: 'none',
  EMBEDDINGS_PROVIDER: 'none',
  SIP_ALLOW_CIDRS: '127.0.0.0/8',
  EGRESS_ALLOW_CIDRS: '127.0.0.0/8',
  SIP_BIND: '127.0.0.1',
  REQUESTS_PER_MINUTE: '1000000',
  ADDRESS_REQUESTS_PER_MINUTE: '1000000',
  AUTH_FAILURES_PER_MINUTE: '1000000',
  LOG_LEVEL: 'warn',
  DRAIN_SECONDS: '1',
};
const MAIN = 'dist/apps/cli/src/main.js';
const IS_UP = 'Press Ctrl-C to stop it';

interface Ready {
  base_url: string;
  sandbox: { sip_port: number };
}

/** The built service as `npm start` runs it: api, worker, dialer, sandbox phone and an embedded PostgreSQL, in a folder of its own. */
export class ContractService {
  private constructor(
    private readonly child: ChildProcess,
    private readonly home: string,
    private readonly env: NodeJS.ProcessEnv,
    private readonly ready: Ready,
  ) {}

  static async start(): Promise<ContractService> {
    const home = mkdtempSync(join(tmpdir(), 'trunkline-contract-'));
    // Started by root, PostgreSQL runs as another user, which must be able to enter the directory.
    chmodSync(home, 0o711);
    const env = { ...(await settingsOf(home)) };
    const child = spawn(process.execPath, [MAIN, 'start'], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    try {
      await isUp(child);
    } catch (error) {
      await ended(child, home);
      throw error;
    }
    const ready = JSON.parse(readFileSync(join(home, 'ready.json'), 'utf8')) as Ready;
    return new ContractService(child, home, env, ready);
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${new URL(this.ready.base_url).port}`;
  }

  get sandboxPort(): number {
    return this.ready.sandbox.sip_port;
  }

  /** Runs a command of the command line on this installation. @returns its standard output */
  command(words: readonly string[], input?: string): Promise<string> {
    return runBuiltCommand(words, this.env, { input });
  }

  stop(): Promise<void> {
    return ended(this.child, this.home);
  }
}

/** Without the variables of the caller: keys of vendors and addresses of servers change answers. */
async function settingsOf(home: string): Promise<NodeJS.ProcessEnv> {
  const { PATH, HOME, TMPDIR, LANG } = process.env;
  const inherited = Object.entries({ PATH, HOME, TMPDIR, LANG }).filter(([, value]) => value !== undefined);
  const [SANDBOX_SIP_PORT, SIP_PORT] = [String(await freePort()), String(await freePort())];
  return {
    ...Object.fromEntries(inherited),
    ...SETTINGS,
    TRUNKLINE_HOME: home,
    PORT: '0',
    SANDBOX_SIP_PORT,
    SIP_PORT,
  };
}

async function isUp(child: ChildProcess): Promise<void> {
  let output = '';
  await new Promise<void>((resolve, reject) => {
    const read = (text: string) => {
      output += text;
      if (output.includes(IS_UP)) resolve();
    };
    for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', read);
    child.once('exit', (code) => reject(new Error(`The service ended with ${code} while it started:\n${output}`)));
  });
}

async function ended(child: ChildProcess, home: string): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) {
    const closed = once(child, 'close');
    child.kill('SIGINT');
    await closed;
  }
  await rm(home, { recursive: true, force: true });
}
