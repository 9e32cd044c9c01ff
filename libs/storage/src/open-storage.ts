import type { Env } from '@app/common';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DiskStorage } from './disk-storage.js';
import type { Storage } from './storage.js';

/** The storage that STORAGE_URL names (`file:/var/lib/trunkline` or, relative to the working directory, `file:storage`). */
export function openStorage(env: Pick<Env, 'STORAGE_URL' | 'TRUNKLINE_HOME'>): Storage {
  if (!env.STORAGE_URL) return new DiskStorage(join(env.TRUNKLINE_HOME, 'storage'));
  const path = env.STORAGE_URL.slice('file:'.length);
  return new DiskStorage(path.startsWith('//') ? fileURLToPath(env.STORAGE_URL) : path);
}
