import { CooperativeYield } from '@app/common';
import { Database, type Sql } from '@app/database';
import { Injectable } from '@nestjs/common';
import { setTimeout as delay } from 'node:timers/promises';
import { AnalyticsCountingService } from './analytics-counting.service.js';
import { AnalyticsDaysRepository } from './analytics-days.repository.js';
import { AnalyticsUpkeepService } from './analytics-upkeep.service.js';
import { cuboidsFor, QUARTER_CUBOIDS } from './domain/dimensions.js';
import { QUARTER_MS, quarterOf } from './domain/intervals.js';
import { keyOf, measuresOf, RollupRows } from './domain/rollup-rows.js';
import { RubricRows } from './domain/rubric-rows.js';
import { RollupsRepository, type StoredFacts } from './rollups.repository.js';
import { RubricRollupsRepository } from './rubric-rollups.repository.js';

/** Calls that were created in this time are rebuilt in one transaction, during which no other calls are counted. */
const CHUNK_MS = 8 * QUARTER_MS;
const PAGE = 500;
/** Longer than any day: the day of a chunk in every time zone begins later. */
const BEFORE_MS = 26 * 3_600_000;
const FIRST_ID = '00000000-0000-0000-0000-000000000000';
const POLL_MS = 100;

interface RebuildOptions {
  /** Absent: all accounts. */
  accountId?: number | undefined;
  /** Calls created from then on; absent: all calls. */
  from?: Date | undefined;
  progress?: ((rebuilt: { accountId: number; until: Date; calls: number }) => void) | undefined;
}

/**
 * Rebuilds rollups from the calls while the service runs. Readers see the rows before or after a chunk; days are answered from quarters
 * of an hour until they are built again. Calls whose transcript or row was deleted keep what was counted of them.
 */
@Injectable()
export class AnalyticsRebuildService {
  constructor(
    private readonly database: Database,
    private readonly counting: AnalyticsCountingService,
    private readonly upkeep: AnalyticsUpkeepService,
    private readonly rollups: RollupsRepository,
    private readonly rubrics: RubricRollupsRepository,
    private readonly days: AnalyticsDaysRepository,
  ) {}

  /** Returns the number of calls. */
  async rebuild({ accountId, from = new Date(0), progress }: RebuildOptions): Promise<number> {
    let calls = 0;
    for await (const account of this.accounts(accountId)) {
      let cursor = quarterOf(from.getTime());
      for (let next = await this.next(account, cursor); next !== null; next = await this.next(account, cursor)) {
        const chunk = { from: new Date(next), to: new Date(next + CHUNK_MS) };
        const counted = await this.database.transaction((tx) => this.rebuildChunk(account, chunk, tx));
        calls += counted;
        cursor = next + CHUNK_MS;
        progress?.({ accountId: account, until: chunk.to, calls });
      }
      await this.finish(account);
    }
    return calls;
  }

  private async *accounts(only: number | undefined): AsyncGenerator<number> {
    if (only !== undefined) yield only;
    for (let page = only === undefined ? await this.rollups.accountsAfter(0) : []; page.length > 0;) {
      yield* page;
      page = await this.rollups.accountsAfter(page.at(-1)!);
    }
  }

  private async next(accountId: number, from: number): Promise<number | null> {
    const at = await this.rollups.nextCall(accountId, new Date(from));
    return at && quarterOf(at.getTime());
  }

  private async rebuildChunk(accountId: number, chunk: { from: Date; to: Date }, tx: Sql): Promise<number> {
    await this.rollups.lock(tx);
    await this.days.addUtc([accountId], tx);
    await this.days.reopen(accountId, new Date(chunk.from.getTime() - BEFORE_MS), tx);
    await this.rollups.addMissing(accountId, chunk, tx);
    const rows = new RollupRows();
    const answers = new RubricRows();
    const yielding = new CooperativeYield();
    let calls = 0;
    let last: Pick<StoredFacts, 'created_at' | 'call_id'> | undefined = { created_at: chunk.from, call_id: FIRST_ID };
    while (last) {
      const facts: StoredFacts[] = await this.rollups.createdIn(accountId, chunk, last, PAGE, tx);
      for (const { after } of await this.counting.complete(facts, tx)) {
        const bucket = quarterOf(after.created_at.getTime());
        const change = { key: keyOf(after), measures: measuresOf(after) };
        rows.add({ accountId, zoneId: 0, bucket }, change, cuboidsFor(QUARTER_CUBOIDS, after.is_test));
        answers.add({ zoneId: 0, bucket }, after, 1);
        if (yielding.due) await yielding.pause();
      }
      calls += facts.length;
      last = facts.length === PAGE ? facts.at(-1) : undefined;
    }
    await this.rollups.remove(accountId, 0, chunk, tx);
    await this.rollups.add(rows.all, tx);
    await this.rubrics.remove(accountId, 0, chunk, tx);
    await this.rubrics.add(answers.all, tx);
    return calls;
  }

  /** Builds the days and the peaks, as far as the workers have not. */
  private async finish(accountId: number): Promise<void> {
    while (await this.days.hasWork(accountId)) {
      const done = (await this.upkeep.buildDay(accountId)) + (await this.upkeep.computePeaks(accountId));
      // A worker holds the lock for one short transaction.
      if (done === 0) await delay(POLL_MS);
    }
  }
}
