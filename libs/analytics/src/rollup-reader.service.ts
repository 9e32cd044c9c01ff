import { CooperativeYield } from '@app/common';
import type { Sql } from '@app/database';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import {
  AnalyticsBlocksRepository,
  type FoundBlock,
  type Level,
  type LevelPlace,
  type LoadedBlock,
} from './analytics-blocks.repository.js';
import { AnalyticsHoursRepository } from './analytics-hours.repository.js';
import { type Block, type BlockColumns, bytesOf } from './domain/block.js';
import { blockOfCalls } from './domain/call-facts.js';
import {
  type Cuboid,
  cuboidsWith,
  isOf,
  type KeyColumn,
  type PopulationFilter,
  populationsOf,
} from './domain/dimensions.js';
import { HOUR_MS, hourOf, type TimeRange } from './domain/intervals.js';
import { FactsRepository } from './facts.repository.js';

/** Entries, or blocks of a hundred, of one statement: some hundred kilobytes, which the driver decodes in milliseconds. */
const COST_AT_ONCE = 25_000;
const FACTS_AT_ONCE = 2_000;
/** Of the decoded blocks that a process keeps for later queries, of all accounts together. */
const CACHE_BYTES = 32 * 1024 * 1024;

/** The calls that a query is about. */
export interface ReadSource extends PopulationFilter {
  accountId: number;
  /** The time zone of the days and months; undefined: it has none. */
  zoneId: number | undefined;
  range: TimeRange;
  /** Coarser than an hour: where a day or month lies within one interval. */
  levels: readonly Exclude<Level, 'hour'>[];
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

/** What has to be read. */
interface ReadPlan {
  source: ReadSource;
  parts: Part[];
  /** Hours whose calls are read one by one. */
  stale: number[];
  /** Without the calls of these hours. */
  entries: number;
}

/** Finds the fewest entries that contain the calls of a query: months, days and hours, and calls of hours that are not built. */
@Injectable()
export class RollupReaderService {
  /** Blocks never change: a replaced one has another version, which each query reads from the database. */
  private readonly cache = new LRUCache<string, Block>({ maxSize: CACHE_BYTES, sizeCalculation: bytesOf });

  constructor(
    private readonly blocks: AnalyticsBlocksRepository,
    private readonly hours: AnalyticsHoursRepository,
    private readonly facts: FactsRepository,
  ) {}

  /** Every statement of a query must see the same state: `tx` is a snapshot. */
  async plan(source: ReadSource, tx: Sql): Promise<ReadPlan> {
    const { accountId } = source;
    const stale = await this.hours.staleIn(accountId, [source.range], tx);
    const cuboids = cuboidsWith(source.columns);
    const parts: Part[] = [];
    // Each population has spans of its own: few calls are stored in fewer of them.
    for (const { bits } of populationsOf(source)) {
      const ofPopulation = cuboids.map((one) => one | bits);
      parts.push(...(await this.parts(source, ofPopulation, new Set(stale), tx)));
    }
    const entries = parts.flatMap(({ blocks }) => blocks).reduce((sum, block) => sum + block.entries, 0);
    return { source, parts, stale, entries };
  }

  async *read(
    { source, parts, stale }: ReadPlan,
    { sums, histograms }: Pick<BlockColumns, 'sums' | 'histograms'>,
    tx: Sql,
  ): AsyncGenerator<ReadBlock> {
    const { accountId } = source;
    const populations = populationsOf(source);
    const yielding = new CooperativeYield();
    for await (const { from, block, ranges } of this.loaded(source, parts, { sums, histograms }, tx)) {
      yield { from, block: block(), range: ranges.find((range) => range.to > from)! };
      if (yielding.due) await yielding.pause();
    }
    for (const hour of stale) {
      const span = { from: hour, to: hour + HOUR_MS };
      for await (const page of this.facts.countedIn(accountId, span, FACTS_AT_ONCE, tx)) {
        const counted = page.filter((call) => populations.some((one) => isOf(call, one)));
        yield { from: hour, block: blockOfCalls(counted), range: source.range };
      }
    }
  }

  /** The next page is read from the database while one is added up. */
  private async *loaded(
    source: ReadSource,
    parts: readonly Part[],
    read: Pick<BlockColumns, 'sums' | 'histograms'>,
    tx: Sql,
  ) {
    const load = async ({ level, ranges }: Part, page: readonly FoundBlock[]) => {
      const place = { accountId: source.accountId, level, zoneId: level === 'hour' ? 0 : source.zoneId! };
      const keys = level === 'hour' ? (['quarter', ...source.columns] as const) : source.columns;
      const loaded = await this.cachedOrLoaded(place, page, { ...read, keys }, tx);
      return loaded.map((one) => ({ ...one, ranges }));
    };
    const pages = parts.flatMap((part) => pagesOf(part.blocks).map((page) => () => load(part, page)));
    let next = pages[0]?.();
    for (let page = 1; next; page++) {
      const current = await next;
      next = pages[page]?.();
      // An error while the current page is added up would leave nothing that awaits it.
      next?.catch(() => undefined);
      yield* current;
    }
  }

  private async cachedOrLoaded(
    place: LevelPlace,
    page: readonly FoundBlock[],
    columns: BlockColumns,
    tx: Sql,
  ): Promise<LoadedBlock[]> {
    const names = [...columns.keys, ...columns.sums, ...columns.histograms].join();
    const prefix = `${place.accountId} ${place.zoneId} ${place.level} ${names}`;
    const wanted = page.map((found) => {
      const key = `${prefix} ${found.from} ${found.cuboid} ${found.version}`;
      return { found, key, cached: this.cache.get(key) };
    });
    const missing = wanted.filter(({ cached }) => !cached).map(({ found }) => found);
    const loaded = missing.length > 0 ? await this.blocks.load(place, missing, columns, tx) : [];
    let next = 0;
    return wanted.map(({ found: { from }, key, cached }) => {
      if (cached) return { from, block: () => cached };
      const { block: decode } = loaded[next++]!;
      const block = (): Block => {
        const decoded = decode();
        this.cache.set(key, decoded);
        return decoded;
      };
      return { from, block };
    });
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
