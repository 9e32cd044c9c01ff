import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { buffer } from 'node:stream/consumers';
import { type Env, InvalidEnvironment, type Log, newId, s3Location } from '@app/common';
import { DiskStorage } from './disk-storage.js';
import { S3Storage } from './s3-storage.js';
import type { Storage } from './storage.js';
import { closeStorageFolders } from './private-folders.js';

type AwsVariable = 'AWS_REGION' | 'AWS_ACCESS_KEY_ID' | 'AWS_SECRET_ACCESS_KEY' | 'AWS_SESSION_TOKEN';

/**
 * Opens the storage of STORAGE_URL: `file:/var/lib/trunkline` or, relative to the working directory, `file:storage`; or
 * `s3://bucket/prefix?region=…` (see S3Location), which is contacted at first use.
 */
export function openStorage(env: Pick<Env, 'STORAGE_URL' | 'TRUNKLINE_HOME' | AwsVariable>): Storage {
  if (env.STORAGE_URL?.startsWith('s3:')) return openS3(env.STORAGE_URL, env);
  return new DiskStorage(folderOf(env));
}

/** The folder of a disk storage; undefined for S3. */
export function storageFolder(env: Pick<Env, 'STORAGE_URL' | 'TRUNKLINE_HOME'>): string | undefined {
  return env.STORAGE_URL?.startsWith('s3:') ? undefined : folderOf(env);
}

function folderOf({ STORAGE_URL: url, TRUNKLINE_HOME: home }: Pick<Env, 'STORAGE_URL' | 'TRUNKLINE_HOME'>): string {
  if (!url) return join(home, 'storage');
  const path = url.slice('file:'.length);
  return path.startsWith('//') ? fileURLToPath(url) : path;
}

function openS3(url: string, env: Pick<Env, AwsVariable>): S3Storage {
  const location = s3Location(url);
  if (typeof location === 'string') throw new InvalidEnvironment(`STORAGE_URL ${location}.`);
  const { AWS_REGION: region, AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: key, AWS_SESSION_TOKEN: token } = env;
  const credentials =
    id && key ? { accessKeyId: id, secretAccessKey: key, ...(token && { sessionToken: token }) } : undefined;
  return new S3Storage({ region, ...location }, credentials);
}

/** Writes a file, reads it back and deletes it. Throws the first error. */
export async function tryStorage(storage: Storage): Promise<void> {
  const [key, text] = [`doctor/${newId()}`, newId()];
  const path = join(tmpdir(), `trunkline-doctor-${text}`);
  await writeFile(path, text, { mode: 0o600 });
  try {
    await storage.put(key, path);
    const file = await storage.open(key);
    const read = file && (await buffer(file.stream)).toString();
    if (read !== text)
      throw new Error(
        'The file that was read differs from the written one. Check whether another program uses the storage.',
      );
    await storage.delete(key);
    if ((await storage.size(key)) !== undefined)
      throw new Error('The file was not deleted. Check whether the key has the permission to delete.');
  } finally {
    await rm(path, { force: true });
  }
}

/** Logs an error at the start of a process if files cannot be stored; everything else works without them. */
export function checkStorage(env: Env, log: Log): void {
  tryStorage(openStorage(env)).catch((err: unknown) => log.error({ err }, 'files cannot be stored: see STORAGE_URL'));
  const folder = storageFolder(env);
  if (folder === undefined) return;
  closeStorageFolders(folder).catch((err: unknown) =>
    log.warn({ err }, 'other users of this machine may read the folder of STORAGE_URL: it should belong to this user'),
  );
}
