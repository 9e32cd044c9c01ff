import { execFileSync, spawnSync } from 'node:child_process';
import { dirname } from 'node:path';

/** The system user that runs PostgreSQL when we are root, because PostgreSQL refuses to run as root. */
export interface PostgresUser {
  uid: number;
  gid: number;
}

const NAME = 'postgres';

/**
 * undefined when we are not root: then PostgreSQL runs as the current user. As root: the system user `postgres`,
 * which is added when it is missing and never changed or removed when it exists.
 */
export function postgresUser(say: (line: string) => void): PostgresUser | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const existing = lookUp();
  if (existing) return existing;
  say(`PostgreSQL does not run as root: adding the system user ${NAME}`);
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

/** Asks the system rather than reading mode bits, which know nothing of ACLs and read-only mounts. */
export function canEnter(path: string, user: PostgresUser): boolean {
  return runsAs(user, 'cd "$1"', path);
}

export function canRead(path: string, user: PostgresUser): boolean {
  return runsAs(user, 'test -r "$1"', path);
}

/** The topmost directory on the way to `path` that keeps the user out, for the message. */
export function closedDirectory(path: string, user: PostgresUser): string | undefined {
  const parent = dirname(path);
  const above = parent === path ? undefined : closedDirectory(parent, user);
  return above ?? (canEnter(path, user) ? undefined : path);
}

function runsAs(user: PostgresUser, script: string, path: string): boolean {
  const { status } = spawnSync('/bin/sh', ['-c', script, 'sh', path], { ...user, cwd: '/', stdio: 'ignore' });
  return status === 0;
}
