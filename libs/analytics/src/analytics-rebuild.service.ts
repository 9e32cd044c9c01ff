import { AccountLimitsService } from '@app/accounts';
import { CallFactsService } from '@app/calls';
import { Database, type Sql } from '@app/database';
import { Injectable } from '@nestjs/common';
import { AnalyticsCountingService } from './analytics-counting.service.js';
import { AnalyticsDaysRepository } from './analytics-days.repository.js';
import { AnalyticsUpkeepService } from './analytics-upkeep.service.js';
import { AnalyticsBlocksRepository } from './analytics-blocks.repository.js';
import { type AccountHour, AnalyticsHoursRepository } from './analytics-hours.repository.js';
import { HOUR_MS, hourOf, QUARTER_MS, quarterOf, type TimeRange } from './domain/intervals.js';
import { RubricRows } from './domain/rubric-rows.js';
import { FactsRepository } from './facts.repository.js';
import { RubricRollupsRepository } from './rubric-rollups.repository.js';

/** Calls that were created in this time are rebuilt in one transaction, during which no other calls are counted. */
const CHUNK_MS = 8 * QUARTER_MS;
const PAGE = 500;
/** Longer than any day: the day of a chunk in every time zone begins later. */
const BEFORE_MS = 26 * 3_600_000;

interface RebuildOptions {
  /** Absent: all accounts. */
  accountId?: number | undefined;
  /** Calls created from then on; absent: all calls. */
  from?: Date | undefined;
  progress?: ((rebuilt: { accountId: number; until: Date; calls: number }) => void) | undefined;
}

/**
 * Rebuilds rollups from the calls while the service runs. Readers see the calls before or after a chunk, whose calls they read one by one
 * until its hours are built again. Calls whose transcript or row was deleted keep what was counted of them.
 */
@Injectable()
export class AnalyticsRebuildService {
  constructor(
    private readonly database: Database,
    private readonly accounts: AccountLimitsService,
    private readonly calls: CallFactsService,
    private readonly counting: AnalyticsCountingService,
    private readonly upkeep: AnalyticsUpkeepService,
    private readonly facts: FactsRepository,
    private readonly hours: AnalyticsHoursRepository,
    private readonly blocks: AnalyticsBlocksRepository,
    private readonly rubrics: RubricRollupsRepository,
    private readonly days: AnalyticsDaysRepository,
  ) {}

  /** Returns the number of calls. */
  async rebuild({ accountId, from = new Date(0), progress }: RebuildOptions): Promise<number> {
    let calls = 0;
    for await (const account of accountId === undefined ? this.accounts.ids() : [accountId]) {
      let cursor = quarterOf(from.getTime());
      for (let next = await this.next(account, cursor); next !== null; next = await this.next(account, cursor)) {
        const chunk = { from: next, to: next + CHUNK_MS };
        const counted = await this.database.transaction((tx) => this.rebuildChunk(account, chunk, tx));
        calls += counted;
        cursor = next + CHUNK_MS;
        progress?.({ accountId: account, until: new Date(chunk.to), calls });
      }
      await this.upkeep.finish(account);
    }
    return calls;
  }

  private async next(accountId: number, from: number): Promise<number | null> {
    const start = new Date(from);
    const next = await Promise.all([
      this.calls.nextCreated(accountId, start),
      this.facts.nextCounted(accountId, start),
    ]);
    const times = next.flatMap((at) => at?.getTime() ?? []);
    return times.length === 0 ? null : quarterOf(Math.min(...times));
  }

  private async rebuildChunk(accountId: number, chunk: TimeRange, tx: Sql): Promise<number> {
    const span = { from: new Date(chunk.from), to: new Date(chunk.to) };
    await this.facts.lock(tx);
    await this.days.addUtc([accountId], tx);
    await this.days.reopen(accountId, new Date(chunk.from - BEFORE_MS), tx);
    await this.calls.addMissing(accountId, span, tx);
    const answers = new RubricRows();
    let calls = 0;
    for await (const facts of this.facts.createdIn(accountId, chunk, PAGE, tx)) {
      for (const { after } of await this.counting.complete(facts, tx))
        answers.add({ zoneId: 0, bucket: quarterOf(after.created_at.getTime()) }, after, 1);
      calls += facts.length;
    }
    const hours: AccountHour[] = [];
    for (let hour = hourOf(chunk.from); hour < chunk.to; hour += HOUR_MS) hours.push({ accountId, hour });
    await this.hours.mark(hours, tx);
    await this.blocks.removeAround(hours, tx);
    await this.rubrics.remove(accountId, 0, span, tx);
    await this.rubrics.add(answers.all, tx);
    return calls;
  }
}
