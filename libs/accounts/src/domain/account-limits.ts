import { isoTime, usd } from '@app/common';

/** The daily limit (UTC) of an account and its spend today. Micro-USD, as PostgreSQL's bigint. */
export interface DailySpend {
  /** null: no limit. */
  daily_spend_micros: string | null;
  /** null: nothing. */
  spent_micros: string | null;
  /** The beginning of the next day. */
  resets_at: Date;
}

/** An error message when the daily limit is reached. */
export function spendProblem({ daily_spend_micros, spent_micros, resets_at }: DailySpend): string | undefined {
  if (daily_spend_micros === null || Number(spent_micros ?? 0) < Number(daily_spend_micros)) return undefined;
  const limit = usd(Number(daily_spend_micros)).toFixed(2);
  return `The account's daily spend limit of ${limit} USD is reached. It resets at ${isoTime(resets_at)}.`;
}

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
