import type { Readable } from 'node:stream';

/** First and last byte, both included, as in an HTTP Range header. */
export interface ByteRange {
  start: number;
  end: number;
}

/** An open file, or a range of it. The caller reads the stream to its end or destroys it. */
export interface StoredFile {
  stream: Readable;
  /** Bytes of the whole file, also when only a range of it is read. */
  size: number;
}

/** The storage does not answer, or is in trouble; the same may succeed later. `cause` says more. */
export class StorageUnavailable extends Error {
  override readonly name = 'StorageUnavailable';

  constructor(cause: unknown) {
    super('The storage is not available.', { cause });
  }
}

/** Where files live that outlast a process. Keys are relative paths such as `recordings/1/<call_id>.wav`. */
export abstract class Storage {
  /** Moves a local file in; a reader sees the whole of it or nothing. The local file is gone afterwards. */
  abstract put(key: string, filePath: string): Promise<void>;
  /** Bytes of the file; undefined when there is none. */
  abstract size(key: string): Promise<number | undefined>;
  /** Undefined when there is none. `range` must lie inside the file. */
  abstract open(key: string, range?: ByteRange): Promise<StoredFile | undefined>;
  /** Deleting a missing file is no error. */
  abstract delete(key: string): Promise<void>;
}
