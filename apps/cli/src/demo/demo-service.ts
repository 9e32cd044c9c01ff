import { execFile, fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, existsSync, readFileSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Ready } from '../installation-home.js';

export interface DemoAccount {
  accountId: number;
  agentId: number;
  pipelineAgentId: number;
  policyAgentId: number;
  flowAgentId: number;
  numberId: number;
  trunkId: number;
  token: string;
  webhookSecret: string;
}

interface DemoService {
  baseUrl: string;
  /** Applies a workspace file and issues a token, with the command line that operators use. */
  provision(workspace: object): Promise<DemoAccount>;
  stop(): Promise<void>;
}

const MAIN = fileURLToPath(new URL('../main.js', import.meta.url));
const READY_MS = 120_000;
/** The vendors of the pipeline. */
const PLAYED = ['DEEPGRAM', 'ANTHROPIC', 'ELEVENLABS'];
const run = promisify(execFile);

/** Runs `trunkline start` in a temporary home on a free port, as a user would; its output goes to `logFile`. */
export async function startDemoService(logFile: string, say: (line: string) => void): Promise<DemoService> {
  const home = await mkdtemp(join(tmpdir(), 'trunkline-demo-'));
  // Started by root, PostgreSQL runs as another user, which must be able to enter the directory.
  await chmod(home, 0o711);
  const env = { ...process.env, ...ownParts(home), PORT: '0', SANDBOX_SIP_PORT: '0', SIP_PORT: '0' };
  const child = fork(MAIN, ['start'], { env, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
  const output = createWriteStream(logFile);
  child.stdout?.pipe(output);
  child.stderr?.pipe(output);
  const stop = async () => {
    await ended(child);
    await rm(home, { recursive: true, force: true });
  };
  try {
    const ready = await readyFile(child, join(home, 'ready.json'), logFile);
    say(`api, worker and dialer are up at ${ready.base_url}, on embedded PostgreSQL`);
    return { baseUrl: ready.base_url, provision: (workspace) => provision(workspace, home, env), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The demo runs its own processes: variables of the shell must not point it to others. */
const ownParts = (home: string): NodeJS.ProcessEnv => ({
  TRUNKLINE_HOME: home,
  DATABASE_URL: '',
  QUEUE_URL: '',
  STORAGE_URL: '',
  PUBLIC_URL: '',
  SECRET_KEY: '',
  BOOTSTRAP_TOKEN: '',
  EMBEDDER_URL: '',
  SIP_ALLOW_CIDRS: '',
  EGRESS_ALLOW_CIDRS: '',
  SIP_BIND: '127.0.0.1',
  // Vendors without a key and without an address are played by the sandbox server.
  ...Object.fromEntries(PLAYED.flatMap((vendor) => [`${vendor}_API_KEY`, `${vendor}_URL`]).map((name) => [name, ''])),
});

async function readyFile(child: ChildProcess, file: string, logFile: string): Promise<Ready> {
  const deadline = Date.now() + READY_MS;
  while (!existsSync(file)) {
    if (child.exitCode !== null) throw new Error(`The service ended before it was ready; see ${logFile}.`);
    if (Date.now() > deadline)
      throw new Error(`The service was not ready within ${READY_MS / 1000} s; see ${logFile}.`);
    await delay(50);
  }
  return JSON.parse(readFileSync(file, 'utf8')) as Ready;
}

async function provision(workspace: object, home: string, env: NodeJS.ProcessEnv): Promise<DemoAccount> {
  const file = join(home, 'demo-workspace.yaml');
  // JSON is YAML.
  await writeFile(file, JSON.stringify(workspace));
  const trunkline = async (...args: string[]) =>
    JSON.parse((await run(process.execPath, [MAIN, ...args, '--json'], { env })).stdout) as never;
  const tree: AppliedTree = await trunkline('apply', '-f', file);
  const [account] = tree.accounts;
  const [agent, pipelineAgent, policyAgent, flowAgent] = account?.agents ?? [];
  const [number, trunk] = [account?.numbers[0], account?.trunks[0]];
  if (!account || !agent || !pipelineAgent || !policyAgent || !flowAgent || !number || !trunk)
    throw new Error('The workspace file was not applied.');
  const { token }: { token: string } = await trunkline('tokens', 'issue', '--account', account.name, '--name', 'demo');
  return {
    accountId: account.id,
    agentId: agent.id,
    pipelineAgentId: pipelineAgent.id,
    policyAgentId: policyAgent.id,
    flowAgentId: flowAgent.id,
    numberId: number.id,
    trunkId: trunk.id,
    token,
    webhookSecret: account.webhook_secret,
  };
}

interface AppliedTree {
  accounts: {
    id: number;
    name: string;
    webhook_secret: string;
    agents: { id: number }[];
    numbers: { id: number }[];
    trunks: { id: number }[];
  }[];
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGTERM');
  await exit;
}
