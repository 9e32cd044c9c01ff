import { chmod, mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';

/** Recordings and documents are personal data: only the user of the service may read them, regardless of its umask. */
export const PRIVATE_FILE = 0o600;
export const PRIVATE_FOLDER = 0o700;
const OTHERS = 0o077;

/** Creates the folder, or corrects the mode of an existing one. Throws if it belongs to another user. */
export async function makePrivateFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: PRIVATE_FOLDER });
  await closeFolder(folder);
}

/**
 * Corrects the modes of a storage of an earlier release: its root, and the folder of each kind of file. Other users cannot access
 * anything below these, so the files keep their modes. Ignores a missing root; throws if a folder belongs to another user.
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

/** Suffix of a file that is still being written. */
export const PART = '.part';

/** Interval of removing partial files of killed processes. */
export const REMOVE_PARTS_MS = 60_000;

/** A partial file without changes for this long is abandoned: the HTTP server ends an upload after five minutes. */
const LEFT_PART_MS = 360_000;

/** The folder of incoming uploads. */
export const uploadFolder = (home: string): string => resolve(join(home, 'uploads'));

/** Creates the folder and removes partial files of killed processes. */
export async function openUploadFolder(home: string): Promise<string> {
  const folder = uploadFolder(home);
  await makePrivateFolder(folder);
  await removeLeftParts(folder);
  return folder;
}

/** Removes partial files of killed processes, but not those that another process is still writing. */
export async function removeLeftParts(folder: string, now = Date.now()): Promise<void> {
  for (const name of await namesIn(folder)) {
    const path = join(folder, name);
    // Another process may have removed it.
    const found = name.endsWith(PART) ? await stat(path).catch(() => undefined) : undefined;
    if (found && now - found.mtimeMs > LEFT_PART_MS) await rm(path, { force: true });
  }
}

/** The files of the folder; none on a machine without an API process. */
async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
