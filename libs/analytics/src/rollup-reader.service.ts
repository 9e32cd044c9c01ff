import { CooperativeYield } from '@app/common';
import type { Sql } from '@app/database';
import { Injectable } from '@nestjs/common';
import {
  AnalyticsBlocksRepository,
  type BlockRead,
  type FoundBlock,
  type Level,
} from './analytics-blocks.repository.js';
import { AnalyticsHoursRepository } from './analytics-hours.repository.js';
import type { Block } from './domain/block.js';
import { blockOfCalls } from './domain/call-facts.js';
import { type Cuboid, cuboidsWith, type KeyColumn, TESTS } from './domain/dimensions.js';
import { HOUR_MS, hourOf, type TimeRange } from './domain/intervals.js';
import { FactsRepository } from './facts.repository.js';

/** Entries, or blocks of a hundred, that are decoded at once. */
const COST_AT_ONCE = 200_000;
const FACTS_AT_ONCE = 2_000;

/** The calls that a query is about. */
interface ReadSource {
  accountId: number;
  /** The time zone of the days and months; undefined: it has none. */
  zoneId: number | undefined;
  range: TimeRange;
  /** Coarser than an hour: where a day or month lies within one interval. */
  levels: readonly Exclude<Level, 'hour'>[];
  withTests: boolean;
  /** By which entries are grouped and filtered. */
  columns: readonly KeyColumn[];
}

/** A block with the beginning of its span. */
export interface ReadBlock {
  from: number;
  block: Block;
  /** Which of its calls count: the others are in the block of a day. */
  range: TimeRange;
}

interface Part {
  level: Level;
  blocks: FoundBlock[];
  /** What they cover. */
  ranges: readonly TimeRange[];
}

/** Finds the fewest entries that contain the calls of a query: months, days and hours, and calls of hours that are not built. */
@Injectable()
export class RollupReaderService {
  constructor(
    private readonly blocks: AnalyticsBlocksRepository,
    private readonly hours: AnalyticsHoursRepository,
    private readonly facts: FactsRepository,
  ) {}

  /** Every statement must see the same state: `tx` is a snapshot. */
  async *read(
    source: ReadSource,
    { sums, histograms }: Pick<BlockRead, 'sums' | 'histograms'>,
    tx: Sql,
  ): AsyncGenerator<ReadBlock> {
    const { accountId, columns, withTests } = source;
    const { parts, stale } = await this.plan(source, tx);
    const yielding = new CooperativeYield();
    for (const { level, blocks, ranges } of parts) {
      const place = { accountId, level, zoneId: level === 'hour' ? 0 : source.zoneId! };
      const keys = level === 'hour' ? (['quarter', ...columns] as const) : columns;
      for (const page of pagesOf(blocks)) {
        for (const loaded of await this.blocks.load(place, page, { keys, sums, histograms }, tx)) {
          yield { ...loaded, range: ranges.find((range) => range.to > loaded.from)! };
          if (yielding.due) await yielding.pause();
        }
      }
    }
    for (const hour of stale) {
      const span = { from: hour, to: hour + HOUR_MS };
      for await (const page of this.facts.countedIn(accountId, span, FACTS_AT_ONCE, tx)) {
        const counted = page.filter((call) => withTests || !call.is_test);
        yield { from: hour, block: blockOfCalls(counted), range: source.range };
      }
    }
  }

  private async plan(source: ReadSource, tx: Sql): Promise<{ parts: Part[]; stale: number[] }> {
    const { accountId, withTests } = source;
    const stale = await this.hours.staleIn(accountId, [source.range], tx);
    const cuboids = cuboidsWith(source.columns);
    const parts = await this.parts(source, cuboids, new Set(stale), tx);
    // Calls of testers may have other spans: few calls are stored in fewer of them.
    const tests = cuboids.map((one) => one | TESTS);
    return { parts: withTests ? [...parts, ...(await this.parts(source, tests, new Set(stale), tx))] : parts, stale };
  }

  private async parts(
    { accountId, zoneId, range, levels }: ReadSource,
    cuboids: readonly Cuboid[],
    stale: ReadonlySet<number>,
    tx: Sql,
  ): Promise<Part[]> {
    const parts: Part[] = [];
    let gaps = [range];
    for (const level of zoneId === undefined ? [] : levels) {
      const blocks = await this.blocks.find({ accountId, zoneId: zoneId!, level }, gaps, cuboids, tx);
      parts.push({ level, blocks, ranges: gaps });
      gaps = without(gaps, blocks);
    }
    const hours = await this.blocks.find({ accountId, zoneId: 0, level: 'hour' }, gaps.map(wholeHours), cuboids, tx);
    return [...parts, { level: 'hour', blocks: hours.filter(({ from }) => !stale.has(from)), ranges: gaps }];
  }
}

const wholeHours = ({ from, to }: TimeRange): TimeRange => ({
  from: hourOf(from),
  to: Math.ceil(to / HOUR_MS) * HOUR_MS,
});

/** The parts of ranges that no block covers. `blocks`: in the order of time, within the ranges. */
function without(ranges: readonly TimeRange[], blocks: readonly TimeRange[]): TimeRange[] {
  return ranges.flatMap(({ from, to }) => {
    const gaps: TimeRange[] = [];
    let start = from;
    for (const block of blocks) {
      if (block.from < from || block.to > to || block.to <= start) continue;
      if (block.from > start) gaps.push({ from: start, to: block.from });
      start = block.to;
    }
    return start < to ? [...gaps, { from: start, to }] : gaps;
  });
}

function pagesOf(blocks: readonly FoundBlock[]): FoundBlock[][] {
  const pages: FoundBlock[][] = [];
  let cost = Infinity;
  for (const block of blocks) {
    if (cost > COST_AT_ONCE) {
      pages.push([]);
      cost = 0;
    }
    pages.at(-1)!.push(block);
    cost += block.entries + 100;
  }
  return pages;
}
