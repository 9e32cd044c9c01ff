import { type Bins, noBins } from './bins.js';
import type { Block, BlockPlace } from './block.js';
import { KEY_COLUMNS, type KeyColumn } from './dimensions.js';
import { QUARTER_MS, type TimeRange } from './intervals.js';
import type { Histogram, Histograms, Sum, Sums } from './metrics.js';

/** Only calls with these values; undefined: any. */
export type KeyFilter = { [Column in KeyColumn]?: number | string | undefined };

/** Marks entries that are left out. */
export const NONE = -1;

/** The interval of each entry from 0; NONE: it is outside the range, or the filter leaves it out. `starts`: of the intervals. */
export function intervalsOf(
  block: Block,
  place: Pick<BlockPlace, 'from'>,
  { range, starts, filter }: { range: TimeRange; starts: readonly number[]; filter: KeyFilter },
): Int32Array {
  const { quarter } = block.keys;
  const at = (part: number): number => {
    const moment = place.from + part * QUARTER_MS;
    return moment < range.from || moment >= range.to ? NONE : starts.findLastIndex((start) => start <= moment);
  };
  const intervals = new Int32Array(block.entries);
  const parts = quarter ? [0, 1, 2, 3].map(at) : [at(0)];
  for (let i = 0; i < intervals.length; i++) intervals[i] = parts[quarter ? quarter[i]! : 0]!;
  for (const [column, value] of Object.entries(filter) as [KeyColumn, number | string | undefined][]) {
    if (value === undefined) continue;
    const wanted = KEY_COLUMNS[column] === 'text' ? block.labels.indexOf(value as string) : Number(value);
    const numbers = block.keys[column]!;
    for (let i = 0; i < intervals.length; i++) if (numbers[i] !== wanted) intervals[i] = NONE;
  }
  return intervals;
}

/** The sums and histograms of intervals and groups. */
export class Cells {
  private readonly sums: Map<Sum, Float64Array>;
  private readonly bins: Map<Histogram, (Bins | undefined)[]>;

  constructor(count: number, sums: readonly Sum[], histograms: readonly Histogram[]) {
    this.sums = new Map(sums.map((sum) => [sum, new Float64Array(count)]));
    this.bins = new Map(histograms.map((name) => [name, []]));
  }

  /** `cells`: the cell of each entry; NONE: it is left out. */
  add(block: Block, cells: Int32Array): void {
    for (const [sum, own] of this.sums) {
      const values = block.sums[sum];
      if (!values) continue;
      for (let i = 0; i < cells.length; i++) if (cells[i] !== NONE) own[cells[i]!]! += values[i]!;
    }
    for (const [name, own] of this.bins) addBins(own, block.bins[name], cells);
  }

  callsOf(cell: number): number {
    return this.sums.get('calls')?.[cell] ?? 0;
  }

  sumsOf(cell: number): Sums {
    const sums: Sums = {};
    for (const [name, own] of this.sums) sums[name] = own[cell]!;
    return sums;
  }

  histogramsOf(cell: number): Histograms {
    const histograms: Histograms = {};
    for (const [name, own] of this.bins) histograms[name] = own[cell];
    return histograms;
  }
}

function addBins(own: (Bins | undefined)[], added: Block['bins'][Histogram], cells: Int32Array): void {
  if (!added) return;
  let next = 0;
  for (let i = 0; i < cells.length; i++) {
    const end = next + added.pairs[i]!;
    if (cells[i] === NONE) next = end;
    else {
      const bins = (own[cells[i]!] ??= noBins());
      for (; next < end; next++) bins[added.bins[next]!]! += added.counts[next]!;
    }
  }
}
