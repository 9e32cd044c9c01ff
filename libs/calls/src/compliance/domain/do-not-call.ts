import { dialledNumber, normaliseE164, readWrittenNumber } from '@app/accounts';

/** `api`: a request. `agent`: the tool of an agent. `import`: a CSV upload. `file`: a CSV file of the command line. */
export const ENTRY_SOURCES = ['api', 'agent', 'import', 'file'] as const;
export type EntrySource = (typeof ENTRY_SOURCES)[number];

/** In characters. */
export const MAX_REASON_LENGTH = 500;

/** A new entry of the do-not-call list. */
export interface DoNotCallEntry {
  /** E.164, or its beginning. */
  number: string;
  isPrefix: boolean;
  reason: string | null;
  /** null: never. */
  expiresAt: Date | null;
}

/** A number as a carrier would dial it, and everything that an entry could match it by. */
export interface ListedNumber {
  number: string;
  /** The beginnings of the number and the number itself. */
  beginnings: string[];
}

const MIN_PREFIX_LENGTH = 2;
const PREFIX = /^\+[1-9]\d{0,14}$/;
const PUNCTUATION = /[\s().\-/]/g;

/**
 * The number of a text: as people write it in `country`, if that is not null, or as a carrier would dial it. Undefined: it is not a number.
 */
export function listedNumberIn(text: string, country: string | null): ListedNumber | undefined {
  const read = country === null ? undefined : readWrittenNumber(text, country);
  return listedNumber(read && 'number' in read ? read.number : text);
}

/** Undefined: the destination is not a number, for example a SIP URI with a name; the list does not apply to it. */
export function listedNumber(destination: string): ListedNumber | undefined {
  const number = dialledNumber(destination);
  if (number === undefined) return undefined;
  const lengths = Array.from(
    { length: number.length - MIN_PREFIX_LENGTH + 1 },
    (_, index) => index + MIN_PREFIX_LENGTH,
  );
  return { number, beginnings: lengths.map((length) => number.slice(0, length)) };
}

/** Whether an entry covers a number. */
export const covers = (entry: Pick<DoNotCallEntry, 'number' | 'isPrefix'>, number: string): boolean =>
  entry.isPrefix ? number.startsWith(entry.number) : number === entry.number;

/**
 * The number or prefix of an entry. `+1900*` is a prefix, as is any text when `isPrefix` is given.
 * @returns an error message as a predicate, or the canonical form
 */
export function readNumber(
  text: string,
  isPrefix = false,
): { problem: string } | { number: string; isPrefix: boolean } {
  const trimmed = text.trim();
  const starred = trimmed.endsWith('*');
  const plain = (starred ? trimmed.slice(0, -1) : trimmed).replace(PUNCTUATION, '');
  if (isPrefix || starred)
    return PREFIX.test(plain)
      ? { number: plain, isPrefix: true }
      : { problem: 'must be the beginning of an E.164 number, such as +1900' };
  const number = normaliseE164(plain);
  return number ? { number, isPrefix: false } : { problem: 'must be an E.164 number such as +15551234567' };
}

/** Two entries of the same number, of which none ends earlier. */
export const mergeEntry = (first: DoNotCallEntry, second: DoNotCallEntry): DoNotCallEntry => ({
  ...first,
  reason: first.reason ?? second.reason,
  expiresAt:
    first.expiresAt && second.expiresAt && new Date(Math.max(first.expiresAt.getTime(), second.expiresAt.getTime())),
});

/** Columns of an import; the others are ignored. Without a header the first column is the number. */
export const IMPORT_COLUMNS = ['number', 'reason', 'expires_at'] as const;

/** The number of an entry as people write it in `country` (null: with its country code), or a prefix in E.164. */
export function readWrittenEntry(text: string, country: string | null): ReturnType<typeof readNumber> {
  if (text.trim().endsWith('*')) return readNumber(text);
  const read = readWrittenNumber(text, country);
  return 'number' in read ? { number: read.number, isPrefix: false } : { problem: read.problem };
}

/**
 * Reads one row of an import. `country`: of numbers without a country code; null: they are refused.
 * @returns why the row is refused, as a predicate of its column, or the entry
 */
export function readImportRow(
  row: Readonly<Partial<Record<(typeof IMPORT_COLUMNS)[number], string>>>,
  { now, country }: { now: Date; country: string | null },
): { problem: string } | DoNotCallEntry {
  const read = readWrittenEntry(row.number ?? '', country);
  if ('problem' in read) return { problem: `number ${read.problem}` };
  const reason = row.reason?.trim() || null;
  if (reason !== null && reason.length > MAX_REASON_LENGTH)
    return { problem: `reason must not be longer than ${MAX_REASON_LENGTH} characters` };
  const expiry = row.expires_at?.trim() || undefined;
  if (expiry === undefined) return { ...read, reason, expiresAt: null };
  const expiresAt = ISO_TIME.test(expiry) ? new Date(expiry) : new Date(Number.NaN);
  if (Number.isNaN(expiresAt.getTime())) return { problem: 'expires_at must be an ISO 8601 date or time' };
  return expiresAt > now ? { ...read, reason, expiresAt } : { problem: 'expires_at must be in the future' };
}

/** A date (UTC), or a time with an offset. */
const ISO_TIME = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2}))?$/;
