import { CooperativeYield } from '@app/common';
import { Database, type Sql } from '@app/database';
import { Injectable } from '@nestjs/common';
import type { Block, BlockColumns } from './domain/block.js';
import { Cells, intervalsOf, NONE } from './domain/cells.js';
import type { KeyColumn } from './domain/dimensions.js';
import { Groups, type GroupValues } from './domain/groups.js';
import type { Interval, TimeRange } from './domain/intervals.js';
import { type Histograms, histogramsOf, type Sum, type Sums, sumsOf } from './domain/metrics.js';
import { GrowingSums } from './domain/numbers.js';
import { type AnalyticsQuery, groupColumns, LEVELS_OF, neededColumns } from './domain/query.js';
import { type ReadBlock, type ReadSource, RollupReaderService } from './rollup-reader.service.js';

/** The values of the dimensions of a group, by key column. */
export type Group = Partial<Record<KeyColumn, number | string>>;

/** A row before it is shown. `interval`: from 1; `place`: index of the group from 1; null: the others. */
export interface Cell {
  interval: number;
  place: number | null;
  sums: Sums;
  histograms: Histograms;
  peak: number | null;
}

export const emptyCell = (place: Pick<Cell, 'interval' | 'place'>): Cell => ({
  ...place,
  sums: {},
  histograms: {},
  peak: null,
});

interface TotalsQuestion {
  accountId: number;
  /** Whose days and months are kept. */
  zoneId: number | undefined;
  query: AnalyticsQuery;
  range: TimeRange;
  /** The beginnings of the intervals. */
  starts: readonly number[];
}

type ReadColumns = Pick<BlockColumns, 'sums' | 'histograms'>;

/** Read entries, with the interval from 0 (NONE: left out) and the group of each. */
interface Part {
  block: Block;
  intervals: Int32Array;
  groups: Int32Array;
}

/** Larger results are read again instead of being kept: an entry takes 10 to 100 bytes. */
const MAX_KEPT_ENTRIES = 250_000;

/** Adds the rollups of a query up. */
@Injectable()
export class AnalyticsTotalsService {
  constructor(
    private readonly database: Database,
    private readonly reader: RollupReaderService,
  ) {}

  of(question: TotalsQuestion): Promise<{ groups: Group[]; cells: Cell[] }> {
    return this.database.snapshot(async (tx) => {
      const { query } = question;
      const columns = columnsOf(query);
      const groups = new Groups(groupColumns(query));
      const plan = await this.reader.plan(sourceOf(question, query.interval), tx);
      const parts = () => partsOf(question, groups, this.reader.read(plan, columns, tx));
      if (query.groupBy.length === 0) return { groups: [], cells: await cellsIn(question, columns, parts()) };
      const isKept = plan.entries <= MAX_KEPT_ENTRIES;
      const { calls, kept } = await countCalls(
        isKept ? parts() : await this.coarseParts(question, groups, tx),
        groups,
        isKept,
      );
      const top = topGroups(groups, calls, query.groupLimit);
      const cells = await cellsIn(question, columns, kept ?? parts(), top);
      return { groups: top.map((group) => Object.fromEntries(groups.values(group)) as Group), cells };
    });
  }

  /** The calls of the groups in as few entries as possible, whatever the interval of the query is. */
  private async coarseParts(question: TotalsQuestion, groups: Groups, tx: Sql): Promise<AsyncGenerator<Part>> {
    const plan = await this.reader.plan(sourceOf(question, 'none'), tx);
    const read = this.reader.read(plan, { sums: ['calls'], histograms: [] }, tx);
    return partsOf({ ...question, starts: [question.range.from] }, groups, read);
  }
}

const sourceOf = ({ accountId, zoneId, query, range }: TotalsQuestion, interval: Interval): ReadSource => ({
  accountId,
  zoneId,
  range,
  levels: LEVELS_OF[interval],
  channel: query.channel,
  withTests: query.withTests,
  columns: neededColumns(query),
});

const columnsOf = ({ metrics }: AnalyticsQuery): ReadColumns => ({
  sums: [...new Set<Sum>(['calls', ...sumsOf(metrics)])],
  histograms: histogramsOf(metrics),
});

async function* partsOf(
  { query, starts }: TotalsQuestion,
  groups: Groups,
  read: AsyncIterable<ReadBlock>,
): AsyncGenerator<Part> {
  for await (const { from, block, range } of read) {
    const intervals = intervalsOf(block, { from }, { range, starts, filter: query.filter });
    yield { block, intervals, groups: groups.of(block, intervals) };
  }
}

/** The calls of each group. `kept`: the parts, while they are few: the calls of stale hours are known only when they are read. */
async function countCalls(
  parts: AsyncIterable<Part>,
  all: Groups,
  isKept: boolean,
): Promise<{ calls: Float64Array; kept: Part[] | undefined }> {
  const sums = new GrowingSums();
  let kept: Part[] | undefined = isKept ? [] : undefined;
  let entries = 0;
  for await (const part of parts) {
    const { block, intervals, groups } = part;
    const calls = sums.of(all.size);
    for (let i = 0; i < groups.length; i++) if (intervals[i] !== NONE) calls[groups[i]!]! += block.sums.calls![i]!;
    entries += block.entries;
    if (entries > MAX_KEPT_ENTRIES) kept = undefined;
    kept?.push(part);
  }
  return { calls: sums.of(all.size).subarray(0, all.size), kept };
}

/** The groups with the most calls, the largest first. */
function topGroups(groups: Groups, calls: Float64Array, limit: number): number[] {
  // Only those that can be among them are compared by their values.
  const least = Math.max(1, calls.toSorted().at(-limit) ?? 1);
  const ids = Array.from(calls.keys()).filter((id) => calls[id]! >= least);
  return ids.toSorted((a, b) => calls[b]! - calls[a]! || compare(groups.values(a), groups.values(b))).slice(0, limit);
}

function compare(some: GroupValues, others: GroupValues): number {
  const index = some.findIndex(([, value], at) => value !== others[at]![1]);
  return index < 0 ? 0 : some[index]![1] < others[index]![1] ? -1 : 1;
}

/** `top`: the groups with rows of their own; undefined: the query has no groups. */
async function cellsIn(
  { query, starts }: TotalsQuestion,
  { sums, histograms }: ReadColumns,
  parts: AsyncIterable<Part> | Iterable<Part>,
  top?: readonly number[],
): Promise<Cell[]> {
  const width = top ? query.groupLimit + 1 : 1;
  const places = new Int32Array(Math.max(0, ...(top ?? [])) + 1).fill(query.groupLimit);
  top?.forEach((group, place) => (places[group] = place));
  const cells = new Cells(starts.length * width, sums, histograms);
  const yielding = new CooperativeYield();
  for await (const { block, intervals, groups } of parts) {
    cells.add(block, top ? placed(intervals, groups, places, query.groupLimit) : intervals);
    if (yielding.due) await yielding.pause();
  }
  return cellsOf(cells, starts.length, width, top && query.groupLimit);
}

/** The cell of each entry. `places`: of the groups; those without one have the place `others`. */
function placed(intervals: Int32Array, groups: Int32Array, places: Int32Array, others: number): Int32Array {
  const cells = new Int32Array(intervals.length);
  for (let i = 0; i < cells.length; i++) {
    const interval = intervals[i]!;
    cells[i] = interval === NONE ? NONE : interval * (others + 1) + (places[groups[i]!] ?? others);
  }
  return cells;
}

/** `others`: the place of the groups beyond the limit. */
function cellsOf(cells: Cells, intervals: number, width: number, others: number | undefined): Cell[] {
  const found: Cell[] = [];
  for (let interval = 0; interval < intervals; interval++) {
    for (let place = 0; place < width; place++) {
      const cell = interval * width + place;
      if (cells.callsOf(cell) === 0) continue;
      const placed = { interval: interval + 1, place: place === others ? null : place + 1 };
      found.push({ ...placed, sums: cells.sumsOf(cell), histograms: cells.histogramsOf(cell), peak: null });
    }
  }
  return found;
}
