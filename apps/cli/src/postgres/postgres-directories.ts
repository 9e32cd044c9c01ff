import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmdirSync,
  symlinkSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { execFileSync, spawnSync } from 'node:child_process';

/** Location of the data when PostgreSQL's user cannot enter the home directory. */
const OPEN_PLACE = '/var/lib/trunkline';

/**
 * The directory of the embedded database: `postgres` under TRUNKLINE_HOME. If this process runs as root and the user of PostgreSQL
 * cannot enter it (a home under /root or another 0700 directory), it is a link to a new directory in /var/lib/trunkline.
 */
export function postgresPlace(home: string, user: PostgresUser | undefined, say: (line: string) => void): string {
  const place = join(realpathSync(home), 'postgres');
  if (!lstatSync(place, { throwIfNoEntry: false })) makePlace(place, user, say);
  if (!existsSync(place))
    throw new Error(
      `${place} is a link to a directory that is gone. Restore it, or remove the link to begin with an empty database.`,
    );
  const real = realpathSync(place);
  const closed = user && closedDirectory(real, user);
  if (closed) {
    throw new Error(
      `PostgreSQL runs as the user postgres, which cannot enter ${closed}. ` +
        `Allow it (chmod o+x ${closed}), or set TRUNKLINE_HOME to a directory that other users can enter.`,
    );
  }
  return real;
}

function makePlace(place: string, user: PostgresUser | undefined, say: (line: string) => void): void {
  mkdirSync(place, { mode: 0o700 });
  // The server's user must be able to enter the directory to reach its data, which it owns with mode 0700.
  if (!user) return;
  chmodSync(place, 0o711);
  if (canEnter(place, user)) return;
  const open = join(OPEN_PLACE, randomBytes(6).toString('hex'));
  makeOpenPlace(open, place);
  replaceByLink(place, open);
  say(`PostgreSQL runs as the user postgres, which cannot enter ${place}: its data is in ${open}`);
}

function makeOpenPlace(open: string, wanted: string): void {
  try {
    mkdirSync(open, { recursive: true });
    chmodSync(OPEN_PLACE, 0o711);
    chmodSync(open, 0o711);
  } catch (error) {
    throw new Error(
      `PostgreSQL runs as the user postgres, which cannot enter ${wanted}, and ${open} cannot be made. ` +
        'Set TRUNKLINE_HOME to a directory that other users can enter.',
      { cause: error },
    );
  }
}

function replaceByLink(place: string, target: string): void {
  rmdirSync(place);
  symlinkSync(target, place);
}

type DataState = 'absent' | 'ready';

/**
 * Inspects a data directory without changing it. initdb works in another directory that is renamed when complete, so a directory with
 * the final name was complete once. If it is damaged now, it may contain calls, and the user must decide: throws a sentence for the user.
 */
export function inspectData(data: string, major: number): DataState {
  if (!existsSync(data) || readdirSync(data).length === 0) return 'absent';
  const missing = ['PG_VERSION', 'global/pg_control', 'base', 'pg_wal'].find((part) => !existsSync(join(data, part)));
  if (missing) {
    throw new Error(
      `${data} is not a complete PostgreSQL data directory: ${missing} is missing. It is left untouched. ` +
        'Restore it from a backup, or move it away to begin with an empty database.',
    );
  }
  const found = readFileSync(join(data, 'PG_VERSION'), 'utf8').trim();
  if (found !== String(major)) {
    throw new Error(
      `${data} was written by PostgreSQL ${found}, but this release includes PostgreSQL ${major}. ` +
        `Run PostgreSQL ${found} yourself and set DATABASE_URL, or move the data over with pg_dump.`,
    );
  }
  return 'ready';
}

/** The system user for PostgreSQL when this process runs as root: PostgreSQL refuses to run as root. */
export interface PostgresUser {
  uid: number;
  gid: number;
}

const NAME = 'postgres';

/**
 * undefined without root: PostgreSQL runs as the current user. With root: the system user `postgres`, which is created if missing and
 * otherwise left unchanged.
 */
export function postgresUser(say: (line: string) => void): PostgresUser | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const existing = lookUp();
  if (existing) return existing;
  say(`PostgreSQL does not run as root; adding the system user ${NAME}`);
  addUser();
  const added = lookUp();
  if (!added) throw new Error(`The system user ${NAME} was added, but \`id -u ${NAME}\` does not find it.`);
  return added;
}

function lookUp(): PostgresUser | undefined {
  const [uid, gid] = ['-u', '-g'].map((flag) => spawnSync('id', [flag, NAME], { encoding: 'utf8' }));
  if (uid?.status !== 0 || gid?.status !== 0) return undefined;
  return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
}

function addUser(): void {
  try {
    execFileSync('groupadd', ['--system', NAME], { stdio: 'pipe' });
    execFileSync('useradd', ['--system', '--no-create-home', '-g', NAME, NAME], { stdio: 'pipe' });
  } catch (error) {
    throw new Error(
      `PostgreSQL does not run as root and the system user ${NAME} could not be added (${(error as Error).message.trim()}). ` +
        'Start Trunkline as another user, add that user by hand, or set DATABASE_URL to a PostgreSQL server.',
      { cause: error },
    );
  }
}

/** Tries the access as the user: mode bits do not reflect ACLs and read-only mounts. */
function canEnter(path: string, user: PostgresUser): boolean {
  return runsAs(user, 'cd "$1"', path);
}

export function canRead(path: string, user: PostgresUser): boolean {
  return runsAs(user, 'test -r "$1"', path);
}

/** The topmost directory of `path` that the user cannot enter, for the error message. */
function closedDirectory(path: string, user: PostgresUser): string | undefined {
  const parent = dirname(path);
  const above = parent === path ? undefined : closedDirectory(parent, user);
  return above ?? (canEnter(path, user) ? undefined : path);
}

function runsAs(user: PostgresUser, script: string, path: string): boolean {
  const { status } = spawnSync('/bin/sh', ['-c', script, 'sh', path], { ...user, cwd: '/', stdio: 'ignore' });
  return status === 0;
}
