import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A folder of a user's program in which the packed client is installed. */
export interface ClientProject {
  folder: string;
  /** Removes everything. */
  remove: () => Promise<void>;
}

/**
 * Packs `libs/client` with `npm pack` and installs the archive into an empty folder. The client is packed from a copy, so that
 * tests that run at the same time do not build into each other's `dist`; its dependencies are those of this clone.
 */
export async function installClientPackage(): Promise<ClientProject> {
  const root = await mkdtemp(join(tmpdir(), 'trunkline-client-'));
  const [source, folder] = [join(root, 'libs/client'), join(root, 'program')];
  const installed = join(folder, 'node_modules/@trunkline/client');
  await Promise.all([
    symlink(join(process.cwd(), 'node_modules'), join(root, 'node_modules')),
    cp('tsconfig.json', join(root, 'tsconfig.json')),
    cp('libs/client', source, { recursive: true, filter: (path) => basename(path) !== 'dist' }),
    mkdir(installed, { recursive: true }),
  ]);
  const { stdout } = await run('npm', ['pack', '--silent', '--pack-destination', root], { cwd: source });
  const archive = stdout.trim().split('\n').at(-1) ?? '';
  await run('tar', ['-xzf', join(root, archive), '--strip-components=1', '-C', installed]);
  return { folder, remove: () => rm(root, { recursive: true, force: true }) };
}
