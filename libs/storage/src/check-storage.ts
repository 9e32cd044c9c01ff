import { type Env, type Log, newId } from '@app/common';
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { openStorage, storageFolder } from './open-storage.js';
import { closeStorageFolders } from './private-folders.js';
import type { Storage } from './storage.js';

/** Writes a file, reads it back and deletes it. Throws what goes wrong. */
export async function tryStorage(storage: Storage): Promise<void> {
  const [key, text] = [`doctor/${newId()}`, newId()];
  const path = join(tmpdir(), `trunkline-doctor-${text}`);
  await writeFile(path, text, { mode: 0o600 });
  try {
    await storage.put(key, path);
    const file = await storage.open(key);
    const read = file && (await buffer(file.stream)).toString();
    if (read !== text) throw new Error('What was written is not what is read: is another program at work in there?');
    await storage.delete(key);
    if ((await storage.size(key)) !== undefined) throw new Error('A file cannot be deleted: this key may not.');
  } finally {
    await rm(path, { force: true });
  }
}

/** Logs at the start of a process whether files can be stored, not only at the first upload; everything else works without them. */
export function checkStorage(env: Env, log: Log): void {
  tryStorage(openStorage(env)).catch((err: unknown) => log.error({ err }, 'files cannot be stored: see STORAGE_URL'));
  const folder = storageFolder(env);
  if (folder === undefined) return;
  closeStorageFolders(folder).catch((err: unknown) =>
    log.warn({ err }, 'other users of this machine may read the folder of STORAGE_URL: it should belong to this user'),
  );
}
