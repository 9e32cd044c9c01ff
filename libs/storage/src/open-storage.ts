import { type Env, InvalidEnvironment, s3Location } from '@app/common';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DiskStorage } from './disk-storage.js';
import { S3Storage } from './s3-storage.js';
import type { Storage } from './storage.js';

/**
 * The storage that STORAGE_URL names: `file:/var/lib/trunkline` or, relative to the working directory, `file:storage`; or
 * `s3://bucket/prefix?region=…` (see S3Location), which is reached when it is first used.
 */
export function openStorage(env: Pick<Env, 'STORAGE_URL' | 'TRUNKLINE_HOME' | 'AWS_REGION'>): Storage {
  if (env.STORAGE_URL?.startsWith('s3:')) return openS3(env.STORAGE_URL, env.AWS_REGION);
  return new DiskStorage(folderOf(env));
}

/** The folder of a storage on this machine's disk; undefined for S3. */
export function storageFolder(env: Pick<Env, 'STORAGE_URL' | 'TRUNKLINE_HOME'>): string | undefined {
  return env.STORAGE_URL?.startsWith('s3:') ? undefined : folderOf(env);
}

function folderOf({ STORAGE_URL: url, TRUNKLINE_HOME: home }: Pick<Env, 'STORAGE_URL' | 'TRUNKLINE_HOME'>): string {
  if (!url) return join(home, 'storage');
  const path = url.slice('file:'.length);
  return path.startsWith('//') ? fileURLToPath(url) : path;
}

function openS3(url: string, region?: string): S3Storage {
  const location = s3Location(url);
  if (typeof location === 'string') throw new InvalidEnvironment(`STORAGE_URL ${location}.`);
  return new S3Storage({ region, ...location });
}
