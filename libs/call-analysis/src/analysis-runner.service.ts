import { type Log, type PeriodicTask, runPeriodically } from '@app/common';
import { LOG, OWNER } from '@app/common/settings';
import { Inject, Injectable } from '@nestjs/common';
import { AnalysisJobService } from './analysis-job.service.js';
import { type AnalysisRow, CallAnalysesRepository } from './call-analyses.repository.js';

/** Analyses of one process at the same time: each waits for a model. */
const AT_ONCE = 8;
const LEASE_MS = 30_000;
const RENEW_MS = 10_000;
/** Without a wake-up, due analyses and those of dead processes are found this often. */
const SWEEP_MS = 1_000;

/**
 * Claims queued analyses. The database decides which process runs which; a lease returns the analyses of a dead process to the queue.
 */
@Injectable()
export class AnalysisRunnerService {
  private readonly running = new Map<string, Promise<void>>();
  private readonly stopping = new AbortController();
  private tasks: PeriodicTask[] = [];
  private filling: Promise<void> | undefined;
  private isDue = false;

  constructor(
    private readonly analyses: CallAnalysesRepository,
    private readonly jobs: AnalysisJobService,
    @Inject(OWNER) private readonly owner: string,
    @Inject(LOG) private readonly log: Log,
  ) {}

  start(): void {
    this.tasks = [
      runPeriodically(SWEEP_MS, () => this.sweep(), this.log),
      runPeriodically(RENEW_MS, () => this.renew(), this.log),
    ];
    this.wake();
  }

  /** Call when something may be due. */
  wake(): void {
    this.isDue = true;
    this.fill();
  }

  /** Returns the running analyses to the queue. */
  async stop(): Promise<void> {
    this.stopping.abort(new Error('The process stops.'));
    await Promise.all(this.tasks.map((task) => task.stop()));
    await this.filling;
    await Promise.all(this.running.values());
  }

  private async sweep(): Promise<void> {
    const lost = await this.analyses.releaseLost();
    if (lost > 0) this.log.warn({ analyses: lost }, 'analyses of a lost process are queued again');
    this.wake();
  }

  private async renew(): Promise<void> {
    if (this.running.size > 0) await this.analyses.renew([...this.running.keys()], this.owner, LEASE_MS);
  }

  private fill(): void {
    if (this.filling || !this.isDue || this.stopping.signal.aborted || this.running.size >= AT_ONCE) return;
    this.filling = this.claim()
      .catch((err: unknown) => this.log.warn({ err }, 'analyses could not be claimed and are looked for again'))
      .finally(() => {
        this.filling = undefined;
        this.fill();
      });
  }

  private async claim(): Promise<void> {
    this.isDue = false;
    const claimed = await this.analyses.claim(this.owner, LEASE_MS, AT_ONCE - this.running.size);
    // There may be more.
    if (claimed.length > 0) this.isDue = true;
    for (const row of claimed) this.begin(row);
  }

  private begin(row: AnalysisRow): void {
    const done = this.jobs
      .run(row, this.stopping.signal)
      .catch((err: unknown) => this.log.error({ err, call_id: row.call_id }, 'an analysis could not be stored'))
      .finally(() => {
        this.running.delete(row.id);
        this.wake();
      });
    this.running.set(row.id, done);
  }
}
