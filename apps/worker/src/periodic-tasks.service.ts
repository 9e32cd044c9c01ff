import { AnalyticsUpkeepService } from '@app/analytics';
import { type Env, type Log, type PeriodicTask, runPeriodically } from '@app/common';
import { CallReleaseService } from '@app/calls';
import { RefreshesService } from '@app/knowledge';
import { ENV, LOG } from '@app/common/settings';
import { REMOVE_PARTS_MS } from '@app/storage';
import { Inject, Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { MonitoringService } from './monitoring.service.js';
import { PurgeService } from './purge.service.js';
import { RetentionService } from './retention.service.js';
import { SweepsService } from './sweeps.service.js';

const PURGE_MS = 60_000;
const SWEEP_MS = 2_000;
/** The interval for states that last minutes or days. */
const SLOW_SWEEP_MS = 30_000;
const MONITORING_MS = 15_000;
const REFRESH_MS = 5_000;

/** Runs the periodic tasks of a worker; the interval starts at the end of a run. */
@Injectable()
export class PeriodicTasksService implements OnModuleInit, OnModuleDestroy {
  private tasks: PeriodicTask[] = [];

  constructor(
    private readonly sweeps: SweepsService,
    private readonly releases: CallReleaseService,
    private readonly analytics: AnalyticsUpkeepService,
    private readonly purge: PurgeService,
    private readonly retention: RetentionService,
    private readonly monitoring: MonitoringService,
    private readonly refreshes: RefreshesService,
    @Inject(ENV) private readonly env: Env,
    @Inject(LOG) private readonly log: Log,
  ) {}

  async onModuleInit(): Promise<void> {
    const { sweeps, purge, retention, monitoring, refreshes, log } = this;
    await sweeps.removeLeftParts();
    this.tasks = [
      this.releases.start(),
      this.analytics.start(),
      runPeriodically(PURGE_MS, () => purge.purge(this.env.AUDIT_DAYS), log),
      runPeriodically(PURGE_MS, () => sweeps.forgetIdempotencyKeys(), log),
      runPeriodically(
        () => retention.pauseMs,
        () => retention.deleteExpired(),
        log,
      ),
      runPeriodically(PURGE_MS, () => sweeps.recountStorage(), log),
      runPeriodically(SWEEP_MS, () => sweeps.endLostCalls(), log),
      runPeriodically(SLOW_SWEEP_MS, () => sweeps.endExpiredCalls(), log),
      runPeriodically(SLOW_SWEEP_MS, () => sweeps.endAbandonedInvocations(), log),
      runPeriodically(SLOW_SWEEP_MS, () => sweeps.refreshMcpServers(), log),
      runPeriodically(REMOVE_PARTS_MS, () => sweeps.removeLeftParts(), log),
      runPeriodically(REFRESH_MS, () => refreshes.beginDue(), log),
      runPeriodically(MONITORING_MS, () => monitoring.readDatabase(), log),
    ];
  }

  async onModuleDestroy(): Promise<void> {
    await Promise.all(this.tasks.map((task) => task.stop()));
  }
}
