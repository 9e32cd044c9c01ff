import { copyFile, mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import type { ByteRange, Storage, StoredFile } from './storage.js';

const hasCode = (error: unknown, code: string): boolean => (error as NodeJS.ErrnoException).code === code;

/** Files in a folder. Shared between machines only if the folder is (NFS, a ReadWriteMany volume). */
export class DiskStorage implements Storage {
  private readonly root: string;

  constructor(folder: string) {
    this.root = resolve(folder);
  }

  async put(key: string, filePath: string): Promise<void> {
    const target = this.pathOf(key);
    await mkdir(dirname(target), { recursive: true });
    try {
      await rename(filePath, target);
    } catch (error) {
      // Another file system: copied beside its place first, so that no reader sees half of it.
      if (!hasCode(error, 'EXDEV')) throw error;
      await copyFile(filePath, `${target}.part`);
      await rename(`${target}.part`, target);
      await rm(filePath, { force: true });
    }
  }

  async size(key: string): Promise<number | undefined> {
    try {
      return (await stat(this.pathOf(key))).size;
    } catch (error) {
      if (hasCode(error, 'ENOENT')) return undefined;
      throw error;
    }
  }

  async open(key: string, range?: ByteRange): Promise<StoredFile | undefined> {
    try {
      const file = await open(this.pathOf(key));
      const { size } = await file.stat();
      return { stream: file.createReadStream(range), size };
    } catch (error) {
      if (hasCode(error, 'ENOENT')) return undefined;
      throw error;
    }
  }

  async delete(key: string): Promise<void> {
    await rm(this.pathOf(key), { force: true });
  }

  private pathOf(key: string): string {
    const path = join(this.root, key);
    if (!path.startsWith(this.root + sep)) throw new Error('The storage key leaves the storage.');
    return path;
  }
}
