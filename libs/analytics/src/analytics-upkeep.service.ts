import { CooperativeYield, type Log, type PeriodicTask, runPeriodically } from '@app/common';
import { Database } from '@app/database';
import { isTimeZone } from '@app/schedules';
import { LOG } from '@app/settings';
import { Inject, Injectable } from '@nestjs/common';
import { AnalyticsCountingService } from './analytics-counting.service.js';
import { AnalyticsDaysRepository } from './analytics-days.repository.js';
import { cuboidsFor, DAY_CUBOIDS } from './domain/dimensions.js';
import { DayStarts, QUARTER_MS } from './domain/intervals.js';
import { peaksIn } from './domain/peaks.js';
import { RollupRows } from './domain/rollup-rows.js';
import { RollupsRepository } from './rollups.repository.js';
import { RubricRollupsRepository } from './rubric-rollups.repository.js';

const COUNT_MS = 1_000;
const UPKEEP_MS = 5_000;
/** Quarters of an hour of one transaction. */
const PEAKS_AT_ONCE = 50;

/** Keeps the rollups up to date: counts calls, computes peaks, and builds the days of new time zones. */
@Injectable()
export class AnalyticsUpkeepService {
  constructor(
    private readonly database: Database,
    private readonly counting: AnalyticsCountingService,
    private readonly rollups: RollupsRepository,
    private readonly rubrics: RubricRollupsRepository,
    private readonly days: AnalyticsDaysRepository,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /** Any number of processes may run it. */
  start(): PeriodicTask {
    const stopping = new AbortController();
    const more = async (step: () => Promise<number>): Promise<void> => {
      while (!stopping.signal.aborted && (await step()) > 0);
    };
    const tasks = [
      runPeriodically(COUNT_MS, () => more(() => this.counting.countPending()), this.log),
      runPeriodically(UPKEEP_MS, () => more(() => this.computePeaks()), this.log),
      runPeriodically(UPKEEP_MS, () => more(() => this.buildDay()), this.log),
    ];
    const stop = async (): Promise<void> => {
      stopping.abort();
      await Promise.all(tasks.map((task) => task.stop()));
    };
    return { stop };
  }

  /** Computes the peaks of stale quarters of an hour. Returns their number. */
  computePeaks(accountId?: number): Promise<number> {
    return this.database.transaction(async (tx) => {
      if (!(await this.rollups.tryLock(tx))) return 0;
      const stale = await this.days.stalePeaks(PEAKS_AT_ONCE, accountId, tx);
      for (const { account_id: account, bucket } of stale) {
        const spans = await this.days.callsInProgress(account, bucket, new Date(bucket.getTime() + QUARTER_MS), tx);
        await this.days.replacePeaks(account, bucket, peaksIn(bucket.getTime(), spans), tx);
      }
      return stale.length;
    });
  }

  /** Builds the next day of a time zone from the quarters of an hour. Returns 0 when nothing is left. */
  buildDay(accountId?: number): Promise<number> {
    return this.database.transaction(async (tx) => {
      if (!(await this.rollups.tryLock(tx))) return 0;
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
      const span = { from: new Date(from), to: new Date(to) };
      await this.rollups.remove(account, id, span, tx);
      const rows = new RollupRows();
      const yielding = new CooperativeYield();
      for (const { key, isTest, ...measures } of await this.rollups.finest(account, span, tx)) {
        rows.add({ accountId: account, zoneId: id, bucket: from }, { key, measures }, cuboidsFor(DAY_CUBOIDS, isTest));
        if (yielding.due) await yielding.pause();
      }
      await this.rollups.add(rows.all, tx);
      await this.rubrics.buildDay(account, id, span, tx);
      await this.days.setBuilt(id, to, tx);
      return 1;
    });
  }
}
