/** The storage limit of an account and the size of its files (recordings, files of knowledge bases). Bytes, as PostgreSQL's bigint. */
export interface StorageUse {
  /** null: no limit. */
  storage_bytes: string | null;
  used_bytes: string;
}

const number = new Intl.NumberFormat('en-US');

/** An error message when a file of `bytes` would exceed the limit. */
export function storageProblem({ storage_bytes, used_bytes }: StorageUse, bytes: number): string | undefined {
  if (storage_bytes === null) return undefined;
  const [limit, used] = [Number(storage_bytes), Number(used_bytes)];
  if (used + bytes <= limit) return undefined;
  const [most, taken, size] = [limit, Math.max(0, used), bytes].map((value) => number.format(value));
  return `The account may store ${most} bytes and uses ${taken}; a file of ${size} bytes does not fit.`;
}
