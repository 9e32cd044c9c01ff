import { DailySpendService, spendProblem } from '@app/calls';
import type { Log } from '@app/common';
import { Database } from '@app/database';
import { metrics } from '@app/metrics';
import { LOG, OWNER } from '@app/common/settings';
import { Inject, Injectable } from '@nestjs/common';
import { AnalysedCallsService } from './analysed-calls.service.js';
import { analysisView } from './analysis.presenter.js';
import { type AnalysisRow, CallAnalysesRepository, type FinishedAnalysis } from './call-analyses.repository.js';
import { AnalysisRetry, CallAnalystService, NO_COST } from './call-analyst.service.js';

const MAX_ATTEMPTS = 5;
/** Before the second, third, … attempt. */
const RETRY_MS = [5_000, 30_000, 120_000, 600_000];
/** An analysis waits this long for the money of the account. */
const SPEND_WAIT_MS = 3 * 86_400_000;

type Postponement = Parameters<CallAnalysesRepository['postpone']>[2];

/**
 * One claimed analysis. A model is asked outside of any transaction; the result, its cost and its webhook are stored in one. Every analysis
 * ends as `completed` or as `failed` with a reason.
 */
@Injectable()
export class AnalysisJobService {
  constructor(
    private readonly database: Database,
    private readonly analyses: CallAnalysesRepository,
    private readonly analyst: CallAnalystService,
    private readonly calls: AnalysedCallsService,
    private readonly spend: DailySpendService,
    @Inject(OWNER) private readonly owner: string,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /** Rejects when the database cannot be reached; the lease then returns the analysis to the queue. */
  async run(row: AnalysisRow, signal: AbortSignal): Promise<void> {
    if (row.attempts > MAX_ATTEMPTS)
      return this.finish(
        row,
        failedWith('worker_lost', 'Every process that worked on the analysis ended before it was done.'),
      );
    if (await this.waitsForMoney(row)) return;
    try {
      const material = await this.calls.read(row);
      const done = material
        ? await this.analyst.analyse(row.settings, material, signal)
        : failedWith('transcript_deleted', 'The transcript of the call was deleted before the analysis.');
      await this.finish(row, done);
    } catch (error) {
      await this.retry(row, error, signal);
    }
  }

  /** A used-up daily spend postpones the analysis to the next day, unless rules read the call. */
  private async waitsForMoney(row: AnalysisRow): Promise<boolean> {
    if (!(await this.analyst.asksModel(row.settings))) return false;
    const spend = await this.spend.read(row.account_id);
    const problem = spend && spendProblem(spend);
    if (!spend || problem === undefined) return false;
    if (spend.resets_at.getTime() > row.created_at.getTime() + SPEND_WAIT_MS)
      await this.finish(row, failedWith('spend_limit', problem));
    else await this.postpone(row, { reason: 'spend_limit', until: spend.resets_at, counts: false, cost: NO_COST });
    return true;
  }

  private async retry(row: AnalysisRow, error: unknown, signal: AbortSignal): Promise<void> {
    const isStopping = signal.aborted;
    if (!isStopping && !(error instanceof AnalysisRetry))
      this.log.error({ err: error, call_id: row.call_id }, 'an analysis failed and is tried again');
    const known = error instanceof AnalysisRetry ? error : new AnalysisRetry('internal_error', INTERNAL, NO_COST);
    if (!isStopping && row.attempts >= MAX_ATTEMPTS)
      return this.finish(
        row,
        failedWith(known.code === 'internal_error' ? known.code : `model_${known.code}`, known.message, known.cost),
      );
    const delayMs = isStopping ? 0 : (RETRY_MS[row.attempts - 1] ?? 0);
    const until = new Date(Date.now() + delayMs);
    await this.postpone(row, { reason: 'retry', until, counts: !isStopping, cost: known.cost });
  }

  private postpone(row: AnalysisRow, wait: Postponement): Promise<void> {
    return this.database.transaction(async (tx) => {
      const isPostponed = await this.analyses.postpone(row.id, this.owner, wait, tx);
      if (isPostponed) await this.spend.add(row.account_id, wait.cost.micros, tx);
    });
  }

  private async finish(row: AnalysisRow, done: FinishedAnalysis): Promise<void> {
    const call = await this.calls.find(row);
    const isStored = await this.database.transaction(async (tx) => {
      const stored = await this.analyses.finish(row.id, this.owner, done, tx);
      if (stored) await this.spend.add(row.account_id, done.cost.micros, tx);
      if (stored && call) await this.calls.announce(analysisView(stored), call, tx);
      return stored !== undefined;
    });
    if (!isStored) return this.log.warn({ call_id: row.call_id }, 'an analysis was taken over by another process');
    this.calls.wakeDispatchers();
    metrics.analyses.inc({ outcome: done.error?.code ?? 'completed', kind: done.source ?? 'none' });
    metrics.analysisSeconds.observe((Date.now() - row.created_at.getTime()) / 1_000);
  }
}

const INTERNAL = 'The analysis failed for a reason that the log of the worker names.';

const failedWith = (code: string, message: string, cost = NO_COST): FinishedAnalysis => ({
  status: 'failed',
  source: null,
  model: null,
  result: null,
  error: { code, message },
  cost,
});
