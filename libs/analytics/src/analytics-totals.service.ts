import type { Sql } from '@app/database';
import { Injectable } from '@nestjs/common';
import type { BlockRead } from './analytics-blocks.repository.js';
import { AnalyticsRepository } from './analytics.repository.js';
import { Cells, intervalsOf, NONE } from './domain/cells.js';
import type { KeyColumn } from './domain/dimensions.js';
import { Groups } from './domain/groups.js';
import type { TimeRange } from './domain/intervals.js';
import { type Histograms, histogramsOf, type Sum, type Sums, SUMS, sumsOf } from './domain/metrics.js';
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
  sums: Object.fromEntries(SUMS.map((sum) => [sum, 0])) as Sums,
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
}

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
    if (columns.length === 0) return { groups, top: [], places: new Map() };
    const calls: number[] = [];
    const whole = { ...question, query: { ...query, interval: 'none' as const } };
    for await (const { from, block, range: covered } of this.read(whole, { sums: ['calls'], histograms: [] }, tx)) {
      const intervals = intervalsOf(block, { from }, { range: covered, starts: [range.from], filter: query.filter });
      const ids = groups.of(block);
      const counts = block.sums.calls!;
      for (let i = 0; i < ids.length; i++)
        if (intervals[i] !== NONE) calls[ids[i]!] = (calls[ids[i]!] ?? 0) + counts[i]!;
    }
    return rankingOf(groups, calls, columns, query.groupLimit);
  }

  private async cells(question: TotalsQuestion, { groups, places }: Ranking, tx: Sql): Promise<Cell[]> {
    const { query, starts } = question;
    const isGrouped = query.groupBy.length > 0;
    const width = isGrouped ? query.groupLimit + 1 : 1;
    const sums: Sum[] = [...new Set<Sum>(['calls', ...sumsOf(query.metrics)])];
    const histograms = histogramsOf(query.metrics);
    const cells = new Cells(starts.length * width, sums, histograms);
    for await (const { from, block, range: covered } of this.read(question, { sums, histograms }, tx)) {
      const own = intervalsOf(block, { from }, { range: covered, starts, filter: query.filter });
      const ids = isGrouped ? groups.of(block) : undefined;
      for (let i = 0; i < own.length; i++) {
        const place = ids ? (places.get(ids[i]!) ?? query.groupLimit) : 0;
        if (own[i] !== NONE) own[i] = own[i]! * width + place;
      }
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

function rankingOf(groups: Groups, calls: readonly number[], columns: readonly KeyColumn[], limit: number): Ranking {
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
      const sums = cells.sumsOf(cell);
      const placed = { interval: interval + 1, place: place === others ? null : place + 1 };
      if (sums.calls > 0) found.push({ ...placed, sums, histograms: cells.histogramsOf(cell), peak: null });
    }
  }
  return found;
}
