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
import { join } from 'node:path';
import { canEnter, closedDirectory, type PostgresUser } from './postgres-user.js';

/** Where the data goes when root's home directory is closed to the user that PostgreSQL runs as. */
const OPEN_PLACE = '/var/lib/trunkline';

/**
 * The directory of the embedded database: `postgres` under TRUNKLINE_HOME. When we are root and the user of PostgreSQL cannot
 * get there (a home under /root or another 0700 directory), it is a link to a new directory in /var/lib/trunkline.
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
  // The server's user must pass through to its data, which is 0700 and its own.
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
 * Looks at a data directory without touching it. initdb works in another directory that is renamed when it is done, so what
 * carries the final name was complete once; if it no longer is, it may hold calls, and a person has to decide.
 * Throws a sentence for that person.
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
      `${data} was written by PostgreSQL ${found}, this release brings ${major}. ` +
        `Run PostgreSQL ${found} yourself and set DATABASE_URL, or move the data over with pg_dump.`,
    );
  }
  return 'ready';
}
