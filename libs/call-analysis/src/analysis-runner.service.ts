import { type Log, runPeriodically, UnitsAtWork } from '@app/common';
import { LOG, OWNER } from '@app/common/settings';
import { WakeUpsService } from '@app/queue';
import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { AnalysisJobService } from './analysis-job.service.js';
import { CallAnalysesRepository } from './call-analyses.repository.js';

const LEASE_MS = 30_000;
const RENEW_MS = 10_000;

/**
 * Claims queued analyses. The database decides which process runs which; a lease returns the analyses of a dead process to the queue.
 */
@Injectable()
export class AnalysisRunnerService implements OnModuleDestroy {
  private readonly units = new UnitsAtWork();

  constructor(
    private readonly analyses: CallAnalysesRepository,
    private readonly jobs: AnalysisJobService,
    private readonly wakeUps: WakeUpsService,
    @Inject(OWNER) private readonly owner: string,
    @Inject(LOG) private readonly log: Log,
  ) {}

  onModuleDestroy(): Promise<void> {
    return this.stop();
  }

  /** Returns the running analyses to the queue. */
  stop(): Promise<void> {
    return this.units.stop();
  }

  /** Runs the next analysis. @returns whether one was due. Rejects if its outcome cannot be stored: its lease returns it to the queue. */
  runNext(): Promise<boolean> {
    return this.units.do(async () => {
      const [row] = await this.analyses.claim(this.owner, LEASE_MS, 1);
      if (!row) return false;
      this.wakeUps.wakeNext('analyses');
      const renewing = runPeriodically(RENEW_MS, () => this.analyses.renew([row.id], this.owner, LEASE_MS), this.log);
      try {
        await this.jobs.run(row, this.units.signal);
      } finally {
        await renewing.stop();
      }
      return true;
    });
  }

  /** Queues the analyses of dead processes again. */
  async releaseLost(): Promise<void> {
    const lost = await this.analyses.releaseLost();
    if (lost === 0) return;
    this.log.warn({ analyses: lost }, 'analyses of a lost process are queued again');
    this.wakeUps.wake('analyses');
  }
}
