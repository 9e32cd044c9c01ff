import { chmod, mkdir, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Recordings and documents are personal data: only the user of the service may read them, whatever its umask is. */
export const PRIVATE_FILE = 0o600;
export const PRIVATE_FOLDER = 0o700;
const OTHERS = 0o077;

/** Makes the folder, or closes one that exists. Throws when it belongs to another user. */
export async function makePrivateFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: PRIVATE_FOLDER });
  await closeFolder(folder);
}

/**
 * Closes a storage of an earlier release: its root, and the folder of each kind of file. Other users cannot reach what is below these,
 * so the files themselves keep their modes. A root that does not exist is left out; throws when a folder belongs to another user.
 */
export async function closeStorageFolders(root: string): Promise<void> {
  const found = await readdir(root, { withFileTypes: true }).catch(undefinedIfMissing);
  if (!found) return;
  for (const entry of found) if (entry.isDirectory()) await closeFolder(join(root, entry.name));
  await closeFolder(root);
}

async function closeFolder(folder: string): Promise<void> {
  const { mode } = await stat(folder);
  if ((mode & OTHERS) !== 0) await chmod(folder, PRIVATE_FOLDER);
}

function undefinedIfMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
