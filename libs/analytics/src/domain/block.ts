import { type Cuboid, KEY_COLUMNS, KEY_NAMES, type KeyColumn } from './dimensions.js';
import { HOUR_MS, QUARTER_MS, type TimeRange } from './intervals.js';
import { HISTOGRAMS, type Histogram, type Sum, SUMS } from './metrics.js';
import { DAMAGED, decode, encode, type Numbers } from './numbers.js';

/** The histograms of the entries of a block: `pairs` of bin and number of values, for one entry after the other. */
interface BlockBins {
  /** Per entry. */
  pairs: Numbers;
  bins: Numbers;
  counts: Numbers;
}

/** The quarter of its hour in which a call was created: a key column of the blocks of hours. */
export type BlockColumn = KeyColumn | 'quarter';
export const BLOCK_COLUMNS: readonly BlockColumn[] = ['quarter', ...KEY_NAMES];

/** The entries of one grouping in a span of time, by column. */
export interface Block {
  entries: number;
  /** The texts of the text columns, which contain their indexes. */
  labels: string[];
  keys: Partial<Record<BlockColumn, Numbers>>;
  /** Absent: every value is 0. */
  sums: Partial<Record<Sum, Numbers>>;
  bins: Partial<Record<Histogram, BlockBins>>;
}

/** Which calls a block contains. */
export interface BlockPlace {
  cuboid: Cuboid;
  /** Milliseconds since 1970; `to` is excluded. */
  from: number;
  to: number;
}

export const isText = (column: BlockColumn): boolean => column !== 'quarter' && KEY_COLUMNS[column] === 'text';

/** The columns of a stored block; null: left out, or every value is 0. */
export type StoredBlock = { entries: number; labels: string[] | null } & Partial<
  Record<BlockColumn | Sum | Histogram, Uint8Array | null>
>;

export function storedBlock({ entries, labels, keys, sums, bins }: Block): StoredBlock {
  const stored: StoredBlock = { entries, labels };
  for (const column of BLOCK_COLUMNS) stored[column] = keys[column] ? encode(keys[column]) : null;
  for (const sum of SUMS) stored[sum] = sums[sum] ? encode(sums[sum]) : null;
  for (const name of HISTOGRAMS) {
    const { pairs, bins: numbers, counts } = bins[name] ?? {};
    stored[name] = pairs && numbers && counts ? Buffer.concat([pairs, numbers, counts].map(encode)) : null;
  }
  return stored;
}

/** The columns that a query needs. */
export interface BlockColumns {
  keys: readonly BlockColumn[];
  sums: readonly Sum[];
  histograms: readonly Histogram[];
}

/** Stands for a column that is null. */
export const NO_COLUMN = 0;

/** Columns as they are read from the database: keys, sums and histograms one after the other, NO_COLUMN for those that are null. */
export interface ReadColumns {
  entries: number;
  labels: string[] | null;
  bytes: Uint8Array;
}

export function blockOf({ entries, labels, bytes }: ReadColumns, { keys, sums, histograms }: BlockColumns): Block {
  const block: Block = { entries, labels: labels ?? [], keys: {}, sums: {}, bins: {} };
  let at = 0;
  const next = (length: number): Numbers | undefined => {
    const { numbers, end } = bytes[at] === NO_COLUMN ? { numbers: undefined, end: at + 1 } : decode(bytes, length, at);
    at = end;
    return numbers;
  };
  for (const column of keys) {
    const numbers = next(entries);
    if (numbers) block.keys[column] = numbers;
  }
  for (const sum of sums) {
    const numbers = next(entries);
    if (numbers) block.sums[sum] = numbers;
  }
  for (const name of histograms) {
    const pairs = next(entries);
    if (!pairs) continue;
    let total = 0;
    for (const pair of pairs) total += pair;
    block.bins[name] = { pairs, bins: next(total)!, counts: next(total)! };
  }
  if (at !== bytes.length) throw new Error(DAMAGED);
  return block;
}

/** The memory that a decoded block takes, about. */
export function bytesOf({ keys, sums, bins, labels }: Block): number {
  const histograms = Object.values(bins).flatMap(({ pairs, bins: numbers, counts }) => [pairs, numbers, counts]);
  const columns = [...Object.values(keys), ...Object.values(sums), ...histograms];
  const texts = labels.reduce((sum, label) => sum + 2 * label.length + 50, 0);
  return columns.reduce((sum, { byteLength }) => sum + byteLength + 200, texts + 500);
}

/** The block of an hour without the entries of quarters that are outside of the range. */
export function within(block: Block, hour: number, { from, to }: TimeRange): Block {
  if (hour >= from && hour + HOUR_MS <= to) return block;
  const kept: number[] = [];
  for (let i = 0; i < block.entries; i++) {
    const at = hour + block.keys.quarter![i]! * QUARTER_MS;
    if (at >= from && at < to) kept.push(i);
  }
  const pick = <Name extends string>(columns: Partial<Record<Name, Numbers>>): Partial<Record<Name, Numbers>> =>
    Object.fromEntries(
      Object.entries<Numbers | undefined>(columns).map(([name, values]) => [
        name,
        Float64Array.from(kept, (i) => values![i]!),
      ]),
    ) as Partial<Record<Name, Numbers>>;
  const bins: Block['bins'] = {};
  for (const name of HISTOGRAMS) if (block.bins[name]) bins[name] = pickBins(block.bins[name], kept);
  return { entries: kept.length, labels: block.labels, keys: pick(block.keys), sums: pick(block.sums), bins };
}

function pickBins({ pairs, bins, counts }: BlockBins, kept: readonly number[]): BlockBins {
  const places: number[] = [];
  const wanted = new Set(kept);
  let next = 0;
  for (let i = 0; i < pairs.length; i++)
    for (const end = next + pairs[i]!; next < end; next++) if (wanted.has(i)) places.push(next);
  return {
    pairs: Float64Array.from(kept, (i) => pairs[i]!),
    bins: Float64Array.from(places, (place) => bins[place]!),
    counts: Float64Array.from(places, (place) => counts[place]!),
  };
}
