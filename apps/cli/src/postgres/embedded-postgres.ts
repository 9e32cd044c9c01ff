import { spawn, type ChildProcess } from 'node:child_process';
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
  writeFileSync,
} from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { freePort } from '../ports.js';
import { postgresBinaries, type PostgresBinaries } from './postgres-binaries.js';
import { pidIn, stopOrphan } from './orphaned-postgres.js';
import { inspectData, postgresPlace } from './postgres-directories.js';
import { postgresUser, type PostgresUser } from './postgres-user.js';

interface EmbeddedPostgresOptions {
  /** TRUNKLINE_HOME; made when absent. Data goes to `postgres/data`, the log to `logs/postgres.log`. */
  home: string;
  /** false: nothing is flushed to disk, for tests whose data ends with them. */
  durable?: boolean;
  /** Receives one sentence per step worth telling. */
  say?: (line: string) => void;
}

export interface EmbeddedPostgres {
  /** Database `trunkline`, as its superuser, on loopback. */
  url: string;
  pid: number;
  /** Resolves when the server has ended, by `stop` or on its own. */
  ended: Promise<void>;
  /** Fast shutdown; resolves when the process is gone. May be called again. */
  stop(): Promise<void>;
}

const USER = 'trunkline';
const UNFINISHED = 'data.unfinished-';
const READY_MS = 60_000;
const POLL_MS = 20;
const STOP_MS = 20_000;

/**
 * Runs a command that ends with us, however we end: the shell reads from a pipe whose other end is ours, and the end of that
 * pipe becomes SIGINT (for PostgreSQL: fast shutdown). `detached`, because Ctrl-C goes to every process of the terminal's
 * group and would take the database away from those who still write to it.
 */
const GUARD = `exec 3<&0
"$@" </dev/null 3<&- & server=$!
{ read -r _ <&3; kill -INT $server; } & guard=$!
wait $server; status=$?
kill $guard 2>/dev/null
exit $status`;

/**
 * Starts PostgreSQL for this home: sets up the data directory on the first run, stops an orphan of a killed supervisor,
 * listens on a free port of 127.0.0.1 with a random password (`postgres/password`, mode 0600).
 * Only one process per home may do this at a time. Throws with a sentence for the person at the terminal.
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

/** The name is only ever given to what initdb has not finished, so nothing was ever stored in it. */
async function removeUnfinished(place: string, say: (line: string) => void): Promise<void> {
  const leftovers = readdirSync(place).filter((name) => name.startsWith(UNFINISHED));
  if (leftovers.length > 0) say('an earlier set-up was interrupted: its unfinished data directory is removed');
  // Retries: an initdb that has just lost its supervisor is still clearing up its own.
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
  // One server for several test files at a time, each with services of its own.
  if (!durable) values.push('max_connections=500', 'fsync=off', 'synchronous_commit=off', 'full_page_writes=off');
  return values.flatMap((value) => ['-c', value]);
}

/** Waits until the server lets us in, and makes sure that our database exists. */
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
  // SIGQUIT ends it at once; the next start recovers from the write-ahead log, nothing committed is lost.
  const pid = pidIn(join(data, 'postmaster.pid'));
  if (pid) process.kill(pid, 'SIGQUIT');
  await ended;
}

function tail(file: string): string {
  return readFileSync(file, 'utf8').trimEnd().split('\n').slice(-5).join('\n');
}
