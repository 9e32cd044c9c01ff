import type { Readable } from 'node:stream';

/** First and last byte, both included, as in an HTTP Range header. */
export interface ByteRange {
  start: number;
  end: number;
}

/** An open file, or a range of it. The caller reads the stream to its end or destroys it. */
export interface StoredFile {
  stream: Readable;
  /** Bytes of the whole file, even if only a range is read. */
  size: number;
}

/** The storage is temporarily unavailable; a later attempt may succeed. `cause` contains the error. */
export class StorageUnavailable extends Error {
  override readonly name = 'StorageUnavailable';

  constructor(cause: unknown) {
    super('The storage is not available.', { cause });
  }
}

/** Persistent files. Keys are relative paths such as `recordings/1/<call_id>.wav`. */
export abstract class Storage {
  /** Moves a local file into the storage; readers see the whole file or none. */
  abstract put(key: string, filePath: string): Promise<void>;
  /** Size in bytes; undefined if the file does not exist. */
  abstract size(key: string): Promise<number | undefined>;
  /** Returns undefined if the file does not exist. `range` must lie inside the file. */
  abstract open(key: string, range?: ByteRange): Promise<StoredFile | undefined>;
  /** Deleting a missing file is not an error. */
  abstract delete(key: string): Promise<void>;
}

/** After this many failures, the round ends. */
const MAX_SKIPPED = 500;

/**
 * The rows that one round of deletions skips because their file cannot be deleted: otherwise a single oldest file would block the
 * deletion of all newer ones. The next round tries them again.
 */
export class SkipList<Id extends string | number> {
  readonly ids: Id[] = [];
  /** The first error. */
  first: unknown;

  /**
   * Returns false if `work` failed and the row is skipped. Throws errors that affect all files: an unavailable
   * storage, or too many failures.
   */
  async attempt(id: Id, work: () => Promise<void>): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (error) {
      if (error instanceof StorageUnavailable || this.ids.length >= MAX_SKIPPED) throw error;
      this.first ??= error;
      this.ids.push(id);
      return false;
    }
  }
}
