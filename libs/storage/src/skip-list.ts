import { StorageUnavailable } from './storage.js';

/** A storage that refuses so many is not asked again in the same round. */
const MOST = 500;

/**
 * What one round of deleting could not delete, and goes on without: one file that cannot be deleted would otherwise keep, as the oldest
 * of all, everything that is newer. The next round tries it again.
 */
export class SkipList<Id extends string | number> {
  readonly ids: Id[] = [];
  /** Why the first of them could not be deleted. */
  first: unknown;

  /** False: it is passed over. Throws what concerns all files: a storage that is away, or that refuses one after the other. */
  async did(id: Id, work: () => Promise<void>): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (error) {
      if (error instanceof StorageUnavailable || this.ids.length >= MOST) throw error;
      this.first ??= error;
      this.ids.push(id);
      return false;
    }
  }
}
