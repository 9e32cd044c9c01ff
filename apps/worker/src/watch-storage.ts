import type { Env } from '@app/common';
import { beforeScrape, metrics } from '@app/metrics';
import { storageFolder } from '@app/storage';
import { statfs } from 'node:fs/promises';

/** Tells how much room there is for files, whenever Prometheus asks; of S3 nobody knows. */
export function watchStorage(env: Pick<Env, 'STORAGE_URL' | 'TRUNKLINE_HOME'>): void {
  const folder = storageFolder(env);
  if (folder === undefined) return;
  beforeScrape(async () => {
    // Before the first file there is no folder.
    const found = await statfs(folder).catch(() => undefined);
    if (found) metrics.storageFreeBytes.set(found.bavail * found.bsize);
  });
}
