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
  if (!env.STORAGE_URL) return new DiskStorage(join(env.TRUNKLINE_HOME, 'storage'));
  if (env.STORAGE_URL.startsWith('s3:')) return openS3(env.STORAGE_URL, env.AWS_REGION);
  const path = env.STORAGE_URL.slice('file:'.length);
  return new DiskStorage(path.startsWith('//') ? fileURLToPath(env.STORAGE_URL) : path);
}

function openS3(url: string, region?: string): S3Storage {
  const location = s3Location(url);
  if (typeof location === 'string') throw new InvalidEnvironment(`STORAGE_URL ${location}.`);
  return new S3Storage({ region, ...location });
}
