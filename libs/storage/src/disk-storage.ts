import { newId } from '@app/common';
import { chmod, copyFile, mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import { PRIVATE_FILE, PRIVATE_FOLDER, PART } from './private-folders.js';
import { type ByteRange, type Storage, type StoredFile, StorageUnavailable } from './storage.js';

const hasCode = (error: unknown, code: string): boolean => (error as NodeJS.ErrnoException).code === code;

/** Temporary errors: no space, read-only file system, or a disk or network file system that does not respond. */
const PASSING = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EIO', 'ESTALE', 'ETIMEDOUT']);
const asStorageError = (error: unknown): unknown =>
  PASSING.has(String((error as NodeJS.ErrnoException).code)) ? new StorageUnavailable(error) : error;

/** Temporary folder in the root of a storage for copies from another file system. */
export const copyFolder = (root: string): string => join(root, 'incoming');

/**
 * Stores files in a folder that only its user can read: all processes run as one user. Several machines need a shared folder (NFS,
 * a ReadWriteMany volume).
 */
export class DiskStorage implements Storage {
  private readonly root: string;

  constructor(folder: string) {
    this.root = resolve(folder);
  }

  async put(key: string, filePath: string): Promise<void> {
    const target = this.pathOf(key);
    try {
      await mkdir(dirname(target), { recursive: true, mode: PRIVATE_FOLDER });
      await chmod(filePath, PRIVATE_FILE);
      await this.move(filePath, target);
    } catch (error) {
      throw asStorageError(error);
    }
  }

  async size(key: string): Promise<number | undefined> {
    try {
      return (await stat(this.pathOf(key))).size;
    } catch (error) {
      if (hasCode(error, 'ENOENT')) return undefined;
      throw asStorageError(error);
    }
  }

  async open(key: string, range?: ByteRange): Promise<StoredFile | undefined> {
    try {
      const file = await open(this.pathOf(key));
      const { size } = await file.stat();
      return { stream: file.createReadStream(range), size };
    } catch (error) {
      if (hasCode(error, 'ENOENT')) return undefined;
      throw asStorageError(error);
    }
  }

  async delete(key: string): Promise<void> {
    try {
      await rm(this.pathOf(key), { force: true });
    } catch (error) {
      throw asStorageError(error);
    }
  }

  private pathOf(key: string): string {
    const path = join(this.root, key);
    if (!path.startsWith(this.root + sep)) throw new Error('The storage key leaves the storage.');
    return path;
  }

  private async move(from: string, to: string): Promise<void> {
    try {
      await rename(from, to);
    } catch (error) {
      if (!hasCode(error, 'EXDEV')) throw error;
      await this.copy(from, to);
      await rm(from, { force: true });
    }
  }

  /** Copies from another file system: readers see the whole file or none, and a full disk keeps no partial file. */
  private async copy(from: string, to: string): Promise<void> {
    const folder = copyFolder(this.root);
    const part = join(folder, `${newId()}${PART}`);
    await mkdir(folder, { recursive: true, mode: PRIVATE_FOLDER });
    try {
      await copyFile(from, part);
      await rename(part, to);
    } catch (error) {
      await rm(part, { force: true });
      throw error;
    }
  }
}
