import { type Cuboid, KEY_COLUMNS, KEY_NAMES, type KeyColumn } from './dimensions.js';
import { HOUR_MS, QUARTER_MS, type TimeRange } from './intervals.js';
import { HISTOGRAMS, type Histogram, type Sum, SUMS } from './metrics.js';
import { decoded, encoded, type Numbers } from './numbers.js';

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
  for (const column of BLOCK_COLUMNS) stored[column] = keys[column] ? encoded(keys[column]) : null;
  for (const sum of SUMS) stored[sum] = sums[sum] ? encoded(sums[sum]) : null;
  for (const name of HISTOGRAMS) {
    const { pairs, bins: numbers, counts } = bins[name] ?? {};
    stored[name] = pairs && numbers && counts ? Buffer.concat([pairs, numbers, counts].map(encoded)) : null;
  }
  return stored;
}

/** The columns that were read from the database. */
export function blockOf(stored: StoredBlock): Block {
  const { entries, labels } = stored;
  const block: Block = { entries, labels: labels ?? [], keys: {}, sums: {}, bins: {} };
  for (const column of BLOCK_COLUMNS) {
    const bytes = stored[column];
    if (bytes) block.keys[column] = decoded(bytes, entries).numbers;
  }
  for (const sum of SUMS) {
    const bytes = stored[sum];
    if (bytes) block.sums[sum] = decoded(bytes, entries).numbers;
  }
  for (const name of HISTOGRAMS) {
    const bytes = stored[name];
    if (bytes) block.bins[name] = binsOf(bytes, entries);
  }
  return block;
}

function binsOf(bytes: Uint8Array, entries: number): BlockBins {
  const pairs = decoded(bytes, entries);
  let total = 0;
  for (let i = 0; i < entries; i++) total += pairs.numbers[i]!;
  const bins = decoded(bytes, total, pairs.end);
  const counts = decoded(bytes, total, bins.end);
  return { pairs: pairs.numbers, bins: bins.numbers, counts: counts.numbers };
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
