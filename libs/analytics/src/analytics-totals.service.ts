import type { Sql } from '@app/database';
import { Injectable } from '@nestjs/common';
import type { BlockRead } from './analytics-blocks.repository.js';
import { AnalyticsRepository } from './analytics.repository.js';
import { Cells, intervalsOf, NO_SUMS, NONE } from './domain/cells.js';
import type { KeyColumn } from './domain/dimensions.js';
import { Groups } from './domain/groups.js';
import type { TimeRange } from './domain/intervals.js';
import { type Histograms, histogramsOf, type Sum, type Sums, sumsOf } from './domain/metrics.js';
import { type AnalyticsQuery, groupColumns, LEVELS_OF, neededColumns } from './domain/query.js';
import { type ReadBlock, RollupReaderService } from './rollup-reader.service.js';

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
  sums: { ...NO_SUMS },
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

type ReadColumns = Pick<BlockRead, 'sums' | 'histograms'>;

/** The groups with the most calls, the largest first, and the numbers of all groups. */
interface Ranking {
  groups: Groups;
  top: Group[];
  /** Group -> place from 0; those behind the last place are the others. */
  places: Map<number, number>;
  /** The blocks, if they answer the query as well and are few. */
  read: readonly ReadBlock[] | undefined;
}

/** Larger results are read again instead of being kept: some 100 bytes for each entry. */
const MOST_KEPT_ENTRIES = 100_000;

/** Adds the rollups of a query up. */
@Injectable()
export class AnalyticsTotalsService {
  constructor(
    private readonly analytics: AnalyticsRepository,
    private readonly reader: RollupReaderService,
  ) {}

  of(question: TotalsQuestion): Promise<{ groups: Group[]; cells: Cell[] }> {
    return this.analytics.snapshot(async (tx) => {
      const ranking = await this.ranking(question, tx);
      return { groups: ranking.top, cells: await this.cells(question, ranking, tx) };
    });
  }

  /** Months answer it whatever the interval is. */
  private async ranking(question: TotalsQuestion, tx: Sql): Promise<Ranking> {
    const { query, range } = question;
    const columns = groupColumns(query);
    const groups = new Groups(columns);
    if (columns.length === 0) return { groups, top: [], places: new Map(), read: undefined };
    const calls: number[] = [];
    const whole = { ...question, query: { ...query, interval: 'none' as const } };
    const isWholeAnswer = LEVELS_OF[query.interval].includes('month');
    let kept: ReadBlock[] | undefined = isWholeAnswer ? [] : undefined;
    let entries = 0;
    const needed: ReadColumns = isWholeAnswer ? columnsOf(query) : { sums: ['calls'], histograms: [] };
    for await (const read of this.read(whole, needed, tx)) {
      const { from, block, range: covered } = read;
      const intervals = intervalsOf(block, { from }, { range: covered, starts: [range.from], filter: query.filter });
      const ids = groups.of(block);
      const counts = block.sums.calls!;
      for (let i = 0; i < ids.length; i++)
        if (intervals[i] !== NONE) calls[ids[i]!] = (calls[ids[i]!] ?? 0) + counts[i]!;
      entries += block.entries;
      if (entries > MOST_KEPT_ENTRIES) kept = undefined;
      kept?.push(read);
    }
    return { ...rankingOf(groups, calls, columns, query.groupLimit), read: kept };
  }

  private async cells(question: TotalsQuestion, { groups, places, read }: Ranking, tx: Sql): Promise<Cell[]> {
    const { query, starts } = question;
    const isGrouped = query.groupBy.length > 0;
    const width = isGrouped ? query.groupLimit + 1 : 1;
    const { sums, histograms } = columnsOf(query);
    const cells = new Cells(starts.length * width, sums, histograms);
    for await (const { from, block, range: covered } of read ?? this.read(question, { sums, histograms }, tx)) {
      const own = intervalsOf(block, { from }, { range: covered, starts, filter: query.filter });
      if (isGrouped) placeIn(own, groups.of(block), places, query.groupLimit);
      cells.add(block, own);
    }
    return cellsOf(cells, starts.length, width, isGrouped ? query.groupLimit : undefined);
  }

  private read(
    { accountId, zoneId, query, range }: TotalsQuestion,
    columns: ReadColumns,
    tx: Sql,
  ): AsyncGenerator<ReadBlock> {
    const { interval, withTests } = query;
    const source = { accountId, zoneId, range, levels: LEVELS_OF[interval], withTests, columns: neededColumns(query) };
    return this.reader.read(source, columns, tx);
  }
}

const columnsOf = ({ metrics }: AnalyticsQuery): ReadColumns => ({
  sums: [...new Set<Sum>(['calls', ...sumsOf(metrics)])],
  histograms: histogramsOf(metrics),
});

/** Turns the interval of each entry into its cell. `others`: the place of groups without a place. */
function placeIn(intervals: Int32Array, ids: Uint32Array, places: ReadonlyMap<number, number>, others: number): void {
  const width = others + 1;
  for (let i = 0; i < intervals.length; i++) {
    if (intervals[i] !== NONE) intervals[i] = intervals[i]! * width + (places.get(ids[i]!) ?? others);
  }
}

function rankingOf(
  groups: Groups,
  calls: readonly number[],
  columns: readonly KeyColumn[],
  limit: number,
): Omit<Ranking, 'read'> {
  const ids = Array.from({ length: groups.size }, (_, id) => id).filter((id) => (calls[id] ?? 0) > 0);
  const compare = (a: number, b: number): number =>
    calls[b]! - calls[a]! || compareValues(columns.map((_, index) => [groups.value(a, index), groups.value(b, index)]));
  const top = ids.toSorted(compare).slice(0, limit);
  return {
    groups,
    top: top.map((id) => Object.fromEntries(columns.map((column, index) => [column, groups.value(id, index)]))),
    places: new Map(top.map((id, place) => [id, place])),
  };
}

function compareValues(pairs: readonly (readonly [number | string, number | string])[]): number {
  for (const [a, b] of pairs) if (a !== b) return a < b ? -1 : 1;
  return 0;
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
