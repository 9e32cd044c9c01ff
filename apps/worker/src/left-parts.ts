import type { Env } from '@app/common';
import { copyFolder, removeLeftParts, storageFolder, uploadFolder } from '@app/storage';

/** Removes parts of uploads, and of copies into the storage, that killed processes left on this machine. */
export async function removeAllLeftParts(env: Pick<Env, 'STORAGE_URL' | 'TRUNKLINE_HOME'>): Promise<void> {
  await removeLeftParts(uploadFolder(env.TRUNKLINE_HOME));
  const root = storageFolder(env);
  if (root !== undefined) await removeLeftParts(copyFolder(root));
}
