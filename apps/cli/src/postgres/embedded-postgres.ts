import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { freePort } from '../ports.js';
import { postgresBinaries, type PostgresBinaries } from './postgres-binaries.js';
import { inspectData, postgresPlace, postgresUser, type PostgresUser } from './postgres-directories.js';

interface EmbeddedPostgresOptions {
  /** TRUNKLINE_HOME; made when absent. Data goes to `postgres/data`, the log to `logs/postgres.log`. */
  home: string;
  /** false: nothing is flushed to disk, for tests whose data ends with them. */
  durable?: boolean;
  /** Receives one sentence per notable step. */
  say?: (line: string) => void;
}

export interface EmbeddedPostgres {
  /** URL of the database `trunkline` on loopback, with the superuser. */
  url: string;
  pid: number;
  /** Resolves when the server has ended, by `stop` or otherwise. */
  ended: Promise<void>;
  /** Fast shutdown; resolves when the process has ended. Idempotent. */
  stop(): Promise<void>;
}

const USER = 'trunkline';
const UNFINISHED = 'data.unfinished-';
const READY_MS = 60_000;
const POLL_MS = 20;
const STOP_MS = 20_000;

/**
 * Runs a command that ends with this process, even after SIGKILL: the shell reads from a pipe that this process holds open, and turns the
 * end of the pipe into SIGINT (for PostgreSQL: fast shutdown). Spawned `detached`, because Ctrl-C signals the terminal's whole process
 * group and would stop the database before the processes that still write to it.
 */
const GUARD = `exec 3<&0
"$@" </dev/null 3<&- & server=$!
{ read -r _ <&3; kill -INT $server; } & guard=$!
wait $server; status=$?
kill $guard 2>/dev/null
exit $status`;

/**
 * Starts PostgreSQL for this home: initialises the data directory on the first run, stops an orphaned server of a killed supervisor,
 * and listens on a free port of 127.0.0.1 with a random password (`postgres/password`, mode 0600).
 * Only one process per home may do this at a time. Throws with a sentence for the user.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const say = options.say ?? (() => {});
  const user = postgresUser(say);
  mkdirSync(join(options.home, 'logs'), { recursive: true, mode: 0o700 });
  const place = postgresPlace(options.home, user, say);
  const binaries = await postgresBinaries(place, user);
  const data = join(place, 'data');
  if (inspectData(data, binaries.major) === 'absent') await initialise(binaries, place, user, options.durable, say);
  else await stopOrphan(data, say);
  const password = readPassword(place);
  const logFile = join(options.home, 'logs', 'postgres.log');
  return launch({ binaries, data, user, password, logFile, durable: options.durable !== false });
}

async function initialise(
  binaries: PostgresBinaries,
  place: string,
  user: PostgresUser | undefined,
  durable: boolean | undefined,
  say: (line: string) => void,
): Promise<void> {
  await removeUnfinished(place, say);
  const passwordFile = makePassword(place, user);
  const unfinished = mkdtempSync(join(place, UNFINISHED));
  if (user) chownSync(unfinished, user.uid, user.gid);
  const flags = ['-D', unfinished, '-U', USER, `--pwfile=${passwordFile}`, '--auth=scram-sha-256', '--encoding=UTF8'];
  // The built-in locale provider sorts the same on every machine, whatever locales it has.
  flags.push('--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8');
  if (durable === false) flags.push('--no-sync');
  await run(binaries.initdb, flags, user);
  await rename(unfinished, join(place, 'data'));
}

/** Only data directories that initdb has not finished have this name, so they contain no data. */
async function removeUnfinished(place: string, say: (line: string) => void): Promise<void> {
  const leftovers = readdirSync(place).filter((name) => name.startsWith(UNFINISHED));
  if (leftovers.length > 0) say('an earlier setup was interrupted; its incomplete data directory is removed');
  // Retries: an initdb whose supervisor has just ended may still be removing the same directory.
  for (const name of leftovers) await rm(join(place, name), { recursive: true, force: true, maxRetries: 10 });
}

function makePassword(place: string, user: PostgresUser | undefined): string {
  const file = join(place, 'password');
  writeFileSync(file, randomBytes(24).toString('hex'), { mode: 0o600 });
  chmodSync(file, 0o600);
  // initdb reads it as that user.
  if (user) chownSync(file, user.uid, user.gid);
  return file;
}

function readPassword(place: string): string {
  const file = join(place, 'password');
  if (existsSync(file)) return readFileSync(file, 'utf8').trim();
  throw new Error(`${file}, the password of the database beside it, is missing. Restore it from a backup.`);
}

async function run(command: string, args: string[], user: PostgresUser | undefined): Promise<void> {
  const child = spawnGuarded(command, args, user, 'pipe');
  let output = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (output += text));
  child.stdout?.resume();
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (code !== 0) throw new Error(`PostgreSQL could not set up its data directory:\n${output.trim()}`);
}

function spawnGuarded(command: string, args: string[], user: PostgresUser | undefined, output: number | 'pipe') {
  return spawn('/bin/sh', ['-c', GUARD, 'sh', command, ...args], {
    ...user,
    cwd: '/',
    detached: true,
    stdio: ['pipe', output, output],
    env: { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' },
  });
}

interface Launch {
  binaries: PostgresBinaries;
  data: string;
  user: PostgresUser | undefined;
  password: string;
  logFile: string;
  durable: boolean;
}

async function launch(o: Launch): Promise<EmbeddedPostgres> {
  const port = await freePort('127.0.0.1');
  const log = openSync(o.logFile, 'w', 0o600);
  const child = spawnGuarded(
    o.binaries.postgres,
    ['-D', o.data, '-p', String(port), ...settings(o.durable)],
    o.user,
    log,
  );
  closeSync(log);
  let running = true;
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve())).then(() => void (running = false));
  const url = `postgres://${USER}:${o.password}@127.0.0.1:${port}`;
  const stop = () => (running ? stopServer(child, o.data, ended) : ended);
  try {
    await ready(`${url}/postgres`, () => running);
  } catch (error) {
    await stop();
    throw new Error(`PostgreSQL did not start: ${(error as Error).message}\n${tail(o.logFile)}`, { cause: error });
  }
  return { url: `${url}/${USER}`, pid: pidIn(join(o.data, 'postmaster.pid')) ?? 0, ended, stop };
}

function settings(durable: boolean): string[] {
  const values = [
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    'max_connections=200',
    'shared_buffers=128MB',
  ];
  values.push('wal_level=minimal', 'max_wal_senders=0', 'timezone=UTC', 'log_timezone=UTC');
  // Several test files share one server, each with its own processes.
  if (!durable) values.push('max_connections=500', 'fsync=off', 'synchronous_commit=off', 'full_page_writes=off');
  return values.flatMap((value) => ['-c', value]);
}

/** Waits until the server accepts connections, and creates the database if it is missing. */
async function ready(url: string, running: () => boolean): Promise<void> {
  const until = Date.now() + READY_MS;
  for (;;) {
    const client = new Client({ connectionString: url, connectionTimeoutMillis: READY_MS });
    try {
      await client.connect();
      await ensureDatabase(client);
      return;
    } catch (error) {
      if (!running()) throw new Error('the server ended', { cause: error });
      if (!isStartingUp(error) || Date.now() > until) throw error;
    } finally {
      await client.end();
    }
    await delay(POLL_MS);
  }
}

/** Not listening yet, or 57P03 cannot_connect_now: recovery is still running. */
function isStartingUp(error: unknown): boolean {
  const { code } = error as { code?: string };
  return code === 'ECONNREFUSED' || code === '57P03';
}

async function ensureDatabase(client: Client): Promise<void> {
  const { rowCount } = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [USER]);
  if (rowCount === 0) await client.query(`CREATE DATABASE ${USER}`);
}

async function stopServer(child: ChildProcess, data: string, ended: Promise<void>): Promise<void> {
  child.stdin?.end();
  const timer = new AbortController();
  const late = delay(STOP_MS, 'late', { signal: timer.signal }).catch(() => 'cancelled');
  const first = await Promise.race([ended, late]);
  timer.abort();
  if (first !== 'late') return;
  // SIGQUIT ends the server at once; the next start recovers from the write-ahead log, so committed data is safe.
  const pid = pidIn(join(data, 'postmaster.pid'));
  if (pid) process.kill(pid, 'SIGQUIT');
  await ended;
}

function tail(file: string): string {
  return readFileSync(file, 'utf8').trimEnd().split('\n').slice(-5).join('\n');
}

const ORPHAN_STOP_MS = 30_000;

/**
 * Stops a server that a killed supervisor left running on this data directory. Signals the process of postmaster.pid only if it is a
 * `postgres` started on this directory: pids are reused. The caller holds the lock of the home, so no other process starts a server.
 * Throws when the server does not end within 30 s.
 */
async function stopOrphan(data: string, say: (line: string) => void): Promise<void> {
  const pidFile = join(data, 'postmaster.pid');
  const pid = pidIn(pidFile);
  if (pid === undefined) return;
  if (!servesData(pid, data)) {
    // Otherwise PostgreSQL would take another process with this pid for a running server.
    rmSync(pidFile, { force: true });
    return;
  }
  say(`a PostgreSQL server of an earlier start is still running (pid ${pid}); stopping it`);
  signalServer(pid);
  const until = Date.now() + ORPHAN_STOP_MS;
  while (servesData(pid, data)) {
    if (Date.now() > until)
      throw new Error(`PostgreSQL (pid ${pid}) on ${data} does not stop. End it, then start again.`);
    await delay(POLL_MS);
  }
}

/** The server's process id, or undefined when there is no readable postmaster.pid. */
function pidIn(pidFile: string): number | undefined {
  if (!existsSync(pidFile)) return undefined;
  const pid = Number.parseInt(readFileSync(pidFile, 'utf8'), 10);
  return pid > 0 ? pid : undefined;
}

/** SIGINT is PostgreSQL's fast shutdown: sessions are ended, transactions rolled back, data flushed. */
function signalServer(pid: number): void {
  try {
    process.kill(pid, 'SIGINT');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

function servesData(pid: number, data: string): boolean {
  const [command, ...args] = commandLine(pid);
  return command !== undefined && basename(command) === 'postgres' && args.includes(data);
}

/** Empty for a process that has ended, including one that its parent has not reaped yet. */
function commandLine(pid: number): string[] {
  if (process.platform !== 'linux') return listed(pid).trim().split(/\s+/);
  const file = `/proc/${pid}/cmdline`;
  return existsSync(file) ? readFileSync(file, 'utf8').split('\0') : [];
}

function listed(pid: number): string {
  try {
    return execFileSync('ps', ['-o', 'args=', '-p', String(pid)], { encoding: 'utf8' });
  } catch {
    return '';
  }
}
