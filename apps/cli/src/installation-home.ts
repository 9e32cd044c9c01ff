import { type Env, SECRET_FILES, VARIABLES } from '@app/common';
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Problem } from './problem.js';
import { fileURLToPath } from 'node:url';
import { execFileSync } from 'node:child_process';

/** Writes a file with mode 0600 atomically: readers never see a partial file. */
export function writePrivate(file: string, text: string): void {
  const partial = `${file}.${process.pid}`;
  writeFileSync(partial, text, { mode: 0o600 });
  renameSync(partial, file);
}

export const writePrivateJson = (file: string, value: unknown): void =>
  writePrivate(file, `${JSON.stringify(value, null, 2)}\n`);

/** undefined when there is no such file. */
export function readJson(file: string): unknown {
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as unknown) : undefined;
}

/** The directory of package.json, from dist/apps/cli/src. */
const packageRoot = fileURLToPath(new URL('../../../..', import.meta.url));

/** The directory with all state of one installation on this machine; relative to the working directory. */
export const homeOf = (env: { TRUNKLINE_HOME: string }): string => resolve(env.TRUNKLINE_HOME);

/** The home of a running installation: the one of the working directory, else the one of the clone that contains this file. */
function runningHome(env: { TRUNKLINE_HOME: string }): string | undefined {
  const homes = [homeOf(env), resolve(packageRoot, env.TRUNKLINE_HOME)];
  return homes.find((home) => existsSync(join(home, 'ready.json')));
}

/** `instance.json`: the secrets by which other commands on this machine reach the running installation. Mode 0600. */
interface Instance {
  database_url: string;
  secret_key: string;
  /** Absent: no embedder runs. */
  embedder_url?: string;
  /** The variables of its processes, as `start` gave them. */
  environment: Record<string, string>;
}

const fileIn = (home: string): string => join(home, 'instance.json');

/** `environment`: of the processes; variables of other programs are not kept. */
export function writeInstance(
  home: string,
  { environment, ...known }: Omit<Instance, 'environment'> & { environment: NodeJS.ProcessEnv },
): void {
  const own = [...VARIABLES, ...SECRET_FILES].flatMap((name) => {
    const value = environment[name];
    return value ? [[name, value] as const] : [];
  });
  writePrivateJson(fileIn(home), { ...known, environment: Object.fromEntries(own) } satisfies Instance);
}

/** DATABASE_URL, else the database of the installation that runs here. Throws Problem without either. */
export function databaseUrl(env: Env): string {
  const url = env.DATABASE_URL ?? running(env)?.database_url;
  if (url) return url;
  throw new Problem(
    'No database is configured. Start Trunkline first (npm start), or set DATABASE_URL, for example ' +
      'DATABASE_URL=postgres://user:password@localhost:5432/trunkline',
  );
}

/** SECRET_KEY, else the key of the installation that runs here, else the key stored in this home. */
export const findSecretKey = (env: Env): string | undefined =>
  env.SECRET_KEY ?? running(env)?.secret_key ?? keptKey(homeOf(env));

/** EMBEDDER_URL, else the embedder of the installation that runs here. */
export const findEmbedderUrl = (env: Env): string | undefined => env.EMBEDDER_URL ?? running(env)?.embedder_url;

/** `findSecretKey`, but throws Problem without a key. */
export function secretKey(env: Env): string {
  const key = findSecretKey(env);
  if (key) return key;
  throw new Problem('SECRET_KEY is required: the same value as in the other processes of this installation.');
}

/** undefined also when DATABASE_URL names another database than that of the running installation. */
function running(env: Env): Instance | undefined {
  const home = runningHome(env);
  const instance = home ? (readJson(fileIn(home)) as Instance | undefined) : undefined;
  return env.DATABASE_URL && instance?.database_url !== env.DATABASE_URL ? undefined : instance;
}

/** The variables of the processes of the installation that runs here, as `start` gave them; undefined: none runs. */
export const runningEnvironment = (env: Env): Record<string, string> | undefined => running(env)?.environment;

/** The SIP port of the installation that runs here; undefined: none runs. */
export function runningSipPort(env: Env): number | undefined {
  const home = running(env) && runningHome(env);
  const ready = home === undefined ? undefined : (readJson(join(home, 'ready.json')) as Ready | undefined);
  return ready?.sip_port ?? undefined;
}

export const keyFile = (home: string): string => join(home, 'secret-key');

export function keptKey(home: string): string | undefined {
  return existsSync(keyFile(home)) ? readFileSync(keyFile(home), 'utf8').trim() : undefined;
}

/** `ready.json`, for scripts: written when all processes are ready, removed when they have ended. Mode 0600: it contains a token. */
export interface Ready {
  base_url: string;
  docs_url: string | null;
  console_url: string | null;
  guide_url: string | null;
  token: string | null;
  account_id: number | null;
  agent_id: number | null;
  number_id: number | null;
  trunk_id: number | null;
  webhook_secret: string | null;
  /** A call to `sip:<answered_number>@127.0.0.1:<sip_port>` from this machine reaches the agent. */
  answered_number: string | null;
  sip_port: number | null;
  /** Extensions are user parts: `sip:<extension>@<sip_host>:<sip_port>`. */
  sandbox: { sip_host: string; sip_port: number; extensions: Record<string, string> };
  /** Where vectors of knowledge bases come from, or why they are searched by words alone. */
  search: { provider: string | null; reason: string | null };
  pids: Record<string, number>;
}

export const writeReady = (home: string, ready: Ready): void => writePrivateJson(join(home, 'ready.json'), ready);

export function removeReady(home: string): void {
  for (const file of [join(home, 'ready.json'), join(home, 'instance.json')]) rmSync(file, { force: true });
}

interface Holder {
  pid: number;
  /** Start time of the process as the system reports it: a pid alone may meanwhile belong to another process. */
  since: string;
}

/**
 * Locks a home for one supervisor. Returns the function that unlocks it.
 * Throws Problem with the pid and address of the supervisor that is running.
 */
export function lockHome(home: string): () => void {
  const file = join(home, 'supervisor.lock');
  const held = readJson(file) as Holder | undefined;
  if (held && beginOf(held.pid) === held.since) throw new Problem(alreadyRunning(home, held.pid));
  rmSync(file, { force: true });
  const holder: Holder = { pid: process.pid, since: beginOf(process.pid) ?? '' };
  try {
    writeFileSync(file, JSON.stringify(holder), { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    throw new Problem(`Another \`start\` has just locked ${home}.`, { cause: error });
  }
  return () => rmSync(file, { force: true });
}

function alreadyRunning(home: string, pid: number): string {
  const ready = readJson(join(home, 'ready.json')) as { base_url: string } | undefined;
  const where = ready ? ` at ${ready.base_url}` : ' (still starting, or stopping)';
  return (
    `Trunkline is already running in ${home}: pid ${pid}${where}. Use it, end it (Ctrl-C there, or kill ${pid}), ` +
    'or run a second installation: TRUNKLINE_HOME=.trunkline-2 PORT=3001 npm start'
  );
}

/** undefined: no such process. */
function beginOf(pid: number): string | undefined {
  return process.platform === 'linux' ? beginOnLinux(pid) : beginByPs(pid);
}

/** proc(5): field 22, clock ticks since boot; the name in field 2 may contain spaces and parentheses. */
function beginOnLinux(pid: number): string | undefined {
  const file = `/proc/${pid}/stat`;
  if (!existsSync(file)) return undefined;
  const stat = readFileSync(file, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
}

function beginByPs(pid: number): string | undefined {
  try {
    return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim();
  } catch {
    return undefined;
  }
}
