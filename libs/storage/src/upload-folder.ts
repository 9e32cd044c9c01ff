import { readdir, rm, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { makePrivateFolder } from './private-folders.js';

/** Ends the name of a file that is still being written. */
export const PART = '.part';

/** How often parts of killed processes are looked for. */
export const REMOVE_PARTS_MS = 60_000;

/** Nothing is written into such a file for as long: the HTTP server ends an upload five minutes after it began. */
const LEFT_PART_MS = 360_000;

/** Where uploads are written to while they come in. */
export const uploadFolder = (home: string): string => resolve(join(home, 'uploads'));

/** Makes the folder, and removes what killed processes left there. */
export async function openUploadFolder(home: string): Promise<string> {
  const folder = uploadFolder(home);
  await makePrivateFolder(folder);
  await removeLeftParts(folder);
  return folder;
}

/** Removes parts of processes that were killed. Those of a process that shares the folder and is still writing stay. */
export async function removeLeftParts(folder: string, now = Date.now()): Promise<void> {
  for (const name of await namesIn(folder)) {
    const path = join(folder, name);
    // Another process that shares the folder may be faster.
    const found = name.endsWith(PART) ? await stat(path).catch(() => undefined) : undefined;
    if (found && now - found.mtimeMs > LEFT_PART_MS) await rm(path, { force: true });
  }
}

/** A worker on a machine of its own has no uploads. */
async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
