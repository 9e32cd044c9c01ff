import { UnitsAtWork } from '@app/common';
import { Database } from '@app/database';
import { isTimeZone } from '@app/common/time-windows';
import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { setTimeout as delay } from 'node:timers/promises';
import { AnalyticsBlocksService } from './analytics-blocks.service.js';
import { AnalyticsCountingService } from './analytics-counting.service.js';
import { AnalyticsDaysRepository } from './analytics-days.repository.js';
import { DayStarts, QUARTER_MS } from './domain/intervals.js';
import { peaksIn } from './domain/peaks.js';
import { FactsRepository } from './facts.repository.js';
import { RubricRollupsRepository } from './rubric-rollups.repository.js';

const POLL_MS = 100;
/** An hour is built when its calls have not changed for this time. */
const QUIET_MS = 600_000;
/** Quarters of an hour of one transaction. */
const PEAKS_AT_ONCE = 50;

/** Keeps the rollups up to date: counts calls, computes peaks, and builds hours, days and months. Any number of processes may run it. */
@Injectable()
export class AnalyticsUpkeepService implements OnModuleDestroy {
  private readonly units = new UnitsAtWork();

  constructor(
    private readonly database: Database,
    private readonly counting: AnalyticsCountingService,
    private readonly blocks: AnalyticsBlocksService,
    private readonly facts: FactsRepository,
    private readonly rubrics: RubricRollupsRepository,
    private readonly days: AnalyticsDaysRepository,
  ) {}

  onModuleDestroy(): Promise<void> {
    return this.units.stop();
  }

  /** Counts the calls that ended since the last time. */
  countPending(): Promise<boolean> {
    return this.repeat(() => this.counting.countPending());
  }

  /** Brings peaks, rubric answers, hours, days and months up to date. */
  async build(): Promise<void> {
    await this.repeat(() => this.computePeaks());
    await this.repeat(() => this.buildRubricDay());
    await this.repeat(() => this.blocks.buildSome({ quietMs: QUIET_MS }));
  }

  /** In short steps, until one finds nothing. @returns whether there was something */
  private repeat(step: () => Promise<number>): Promise<boolean> {
    return this.units.do(async () => {
      let steps = 0;
      while (!this.units.isStopping && (await step()) > 0) steps++;
      return steps > 0;
    });
  }

  /** Computes the peaks of stale quarters of an hour. Returns their number. */
  computePeaks(accountId?: number): Promise<number> {
    return this.database.transaction(async (tx) => {
      if (!(await this.facts.tryLock('count', tx))) return 0;
      const stale = await this.days.stalePeaks(PEAKS_AT_ONCE, accountId, tx);
      for (const { account_id: account, bucket } of stale) {
        const spans = await this.days.callsInProgress(account, bucket, new Date(bucket.getTime() + QUARTER_MS), tx);
        await this.days.replacePeaks(account, bucket, peaksIn(bucket.getTime(), spans), tx);
      }
      return stale.length;
    });
  }

  /** Counts the rubric answers of the next day of a time zone. Returns 0 when nothing is left. */
  buildRubricDay(accountId?: number): Promise<number> {
    return this.database.transaction(async (tx) => {
      if (!(await this.facts.tryLock('count', tx))) return 0;
      const zone = await this.days.unfinished(accountId, tx);
      if (!zone) return 0;
      const { id, account_id: account, time_zone: name, built_until: until } = zone;
      const next = isTimeZone(name) ? await this.days.nextBucket(account, until, tx) : undefined;
      if (next === undefined) {
        await this.days.setBuilt(id, Infinity, tx);
        return 1;
      }
      const day = new DayStarts(name);
      const from = day.of(next);
      const to = day.end;
      await this.rubrics.buildDay(account, id, { from: new Date(from), to: new Date(to) }, tx);
      await this.days.setBuilt(id, to, tx);
      return 1;
    });
  }

  /** Builds everything that can be built now, also hours that have just changed, while other processes may do the same. */
  async finish(accountId?: number): Promise<void> {
    const steps = [
      () => this.buildRubricDay(accountId),
      () => this.computePeaks(accountId),
      () => this.blocks.buildSome({ accountId, quietMs: 0 }),
    ];
    while (await this.days.hasWork(accountId)) {
      let done = 0;
      for (const step of steps) done += await step();
      // Another process holds a lock for a short transaction.
      if (done === 0) await delay(POLL_MS);
    }
    while ((await this.blocks.buildSome({ accountId, quietMs: 0 })) > 0);
  }
}
