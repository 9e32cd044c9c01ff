import { Database, type Sql } from '@app/database';
import { isTimeZone } from '@app/common/time-windows';
import { Injectable } from '@nestjs/common';
import { AnalyticsBlocksRepository, type FoundBlock, type Level } from './analytics-blocks.repository.js';
import { AnalyticsHoursRepository, type StaleHour, type UnbuiltZone } from './analytics-hours.repository.js';
import { type Block, BLOCK_COLUMNS, within } from './domain/block.js';
import { buildBlocks, costOf } from './domain/block-builder.js';
import { blockOfCalls } from './domain/call-facts.js';
import { type Cuboid, FULL, HOUR_CUBOIDS, isOf, LEVEL_CUBOIDS, POPULATIONS } from './domain/dimensions.js';
import { HOUR_MS, hourOf, periodOf, type TimeRange } from './domain/intervals.js';
import { HISTOGRAMS, SUMS } from './domain/metrics.js';
import { FactsRepository } from './facts.repository.js';

/** Hours of one transaction. */
const HOURS_AT_ONCE = 24;
const FACTS_AT_ONCE = 2_000;
/** Hours that are decoded at once. */
const LOADED_AT_ONCE = 24;
/** A day or month is built when it has been over for this time: calls that are in progress change it. */
const SETTLE_MS = 2 * HOUR_MS;

const ALL = { keys: BLOCK_COLUMNS, sums: SUMS, histograms: HISTOGRAMS };

/**
 * Builds the rollups: hours from the facts of calls, days and months from hours. The facts decide; what is built is a copy of them, and a
 * span that changes while it is built is built again.
 */
@Injectable()
export class AnalyticsBlocksService {
  constructor(
    private readonly database: Database,
    private readonly facts: FactsRepository,
    private readonly blocks: AnalyticsBlocksRepository,
    private readonly hours: AnalyticsHoursRepository,
  ) {}

  /** Builds some hours, a day or a month. Returns 0 when nothing is left, or while another process builds. `quietMs`: hours that changed since are left. */
  async buildSome({ accountId, quietMs }: { accountId?: number | undefined; quietMs: number }): Promise<number> {
    return this.database.transaction(async (tx) => {
      if (!(await this.facts.tryLock('build', tx))) return 0;
      const stale = await this.hours.stale({ accountId, quietMs }, HOURS_AT_ONCE, tx);
      const first = stale[0]?.accountId;
      if (first !== undefined)
        return this.buildHours(
          first,
          stale.filter((one) => one.accountId === first),
          tx,
        );
      for (const level of ['day', 'month'] as const) {
        const zone = await this.hours.unbuilt(level, accountId, tx);
        if (zone) return this.buildNext(zone, level, tx);
      }
      return 0;
    });
  }

  /** Returns their number, also of those that remain stale. */
  private async buildHours(accountId: number, stale: readonly StaleHour[], tx: Sql): Promise<number> {
    const built = new Map<number, Map<Cuboid, Block>>();
    for (const { hour } of stale) built.set(hour, await this.hourBlocks(accountId, hour, tx));
    await this.facts.lock(tx);
    const settled = await this.hours.settle(accountId, stale, tx);
    for (const [hour, blocks] of built) {
      const place = { accountId, zoneId: 0, level: 'hour' } as const;
      if (settled.has(hour)) await this.blocks.replace(place, { from: hour, to: hour + HOUR_MS }, blocks, tx);
    }
    return stale.length;
  }

  private async hourBlocks(accountId: number, hour: number, tx: Sql): Promise<Map<Cuboid, Block>> {
    const parts = POPULATIONS.map((): Block[] => []);
    for await (const page of this.facts.countedIn(accountId, { from: hour, to: hour + HOUR_MS }, FACTS_AT_ONCE, tx)) {
      for (const [index, population] of POPULATIONS.entries())
        parts[index]!.push(blockOfCalls(page.filter((call) => isOf(call, population))));
    }
    const build = (source: readonly Block[]) =>
      buildBlocks({ cuboids: HOUR_CUBOIDS, hasQuarters: true, source: () => source, sourceCost: undefined });
    return blocksOfAll((index) => build(parts[index]!));
  }

  /** Builds the next day or month of a zone, if it can be built. */
  private async buildNext(zone: UnbuiltZone, level: Exclude<Level, 'hour'>, tx: Sql): Promise<number> {
    const { id, account_id: accountId, time_zone: name, until } = zone;
    const settled = Date.now() - SETTLE_MS;
    const periodAt = (moment: number): TimeRange => periodOf(moment, level, isTimeZone(name) ? name : 'UTC');
    const next = await this.hours.next(accountId, until, tx);
    const period = periodAt(next === undefined ? settled : Math.max(next, until));
    const place = { accountId, zoneId: id, level };
    // The zone is found again when the period is over, or has no stale hour.
    const state = await this.hours.state(accountId, period, tx);
    if (period.to > settled || state.isStale) {
      await this.hours.setBuilt(id, level, period.from, tx);
      return period.from > until ? 1 : 0;
    }
    if (!(await this.blocks.exists(place, period.from, tx))) {
      const blocks = await this.levelBlocks(accountId, period, tx);
      await this.facts.lock(tx);
      if ((await this.hours.state(accountId, period, tx)).state !== state.state) return 1;
      await this.blocks.replace(place, period, blocks, tx);
    }
    await this.hours.setBuilt(id, level, period.to, tx);
    return 1;
  }

  private async levelBlocks(accountId: number, period: TimeRange, tx: Sql): Promise<Map<Cuboid, Block>> {
    const place = { accountId, zoneId: 0, level: 'hour' } as const;
    const around = { from: hourOf(period.from), to: Math.ceil(period.to / HOUR_MS) * HOUR_MS };
    const build = async (cuboid: Cuboid) => {
      const found = await this.blocks.find(place, [around], [cuboid], tx);
      const sourceCost = found.reduce((sum, { entries }) => sum + costOf(entries), 0);
      const source = () => this.hoursIn(accountId, period, found, tx);
      return buildBlocks({ cuboids: LEVEL_CUBOIDS, hasQuarters: false, source, sourceCost });
    };
    return blocksOfAll((index) => build(FULL | POPULATIONS[index]!.bits));
  }

  /** Blocks of hours without the quarters that are outside of the period. */
  private async *hoursIn(
    accountId: number,
    period: TimeRange,
    hours: readonly FoundBlock[],
    tx: Sql,
  ): AsyncGenerator<Block> {
    const place = { accountId, zoneId: 0, level: 'hour' } as const;
    for (let next = 0; next < hours.length; next += LOADED_AT_ONCE) {
      const part = hours.slice(next, next + LOADED_AT_ONCE);
      for (const { from, block } of await this.blocks.load(place, part, ALL, tx)) yield within(block(), from, period);
    }
  }
}

/** The blocks of every population. */
async function blocksOfAll(build: (index: number) => Promise<ReadonlyMap<Cuboid, Block>>): Promise<Map<Cuboid, Block>> {
  const all = new Map<Cuboid, Block>();
  for (const [index, { bits }] of POPULATIONS.entries())
    for (const [cuboid, block] of await build(index)) all.set(cuboid | bits, block);
  return all;
}
