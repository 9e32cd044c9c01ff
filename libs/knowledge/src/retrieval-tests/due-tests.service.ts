import { type Log, type PeriodicTask, runPeriodically } from '@app/common';
import { LOG, OWNER } from '@app/common/settings';
import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { type TestRunClaim, TestRunsRepository } from './test-runs.repository.js';
import { TestRunnerService } from './test-runner.service.js';

const SWEEP_MS = 1_000;
/** 200 tests of three questions take seconds; a run that takes longer is aborted before its lease expires. */
const LEASE_MS = 120_000;
const RUN_MS = 100_000;
/** After a failure, such as an embedder that does not respond. */
const AGAIN_MS = 30_000;

/**
 * Runs the retrieval tests of agents whose knowledge or tests changed, one agent at a time, accounts in turn. Any number of processes
 * may run it; a run whose process died is repeated after its lease.
 */
@Injectable()
export class DueTestsService implements OnModuleDestroy {
  private readonly closing = new AbortController();
  private sweep: PeriodicTask | undefined;
  private lastAccount = 0;

  constructor(
    private readonly runs: TestRunsRepository,
    private readonly runner: TestRunnerService,
    @Inject(OWNER) private readonly owner: string,
    @Inject(LOG) private readonly log: Log,
  ) {}

  start(): void {
    this.sweep = runPeriodically(SWEEP_MS, () => this.runDue(), this.log);
  }

  onModuleDestroy(): Promise<void> {
    return this.stop();
  }

  /** Returns the current run to the queue. */
  async stop(): Promise<void> {
    this.closing.abort(new Error('the process is ending'));
    await this.sweep?.stop();
  }

  private async runDue(): Promise<void> {
    while (!this.closing.signal.aborted) {
      const claim = await this.runs.claim(this.owner, LEASE_MS, this.lastAccount);
      if (!claim) return;
      this.lastAccount = claim.account_id;
      await this.run(claim);
    }
  }

  private async run(claim: TestRunClaim): Promise<void> {
    const { account_id, agent_id } = claim;
    const began = performance.now();
    try {
      const signal = AbortSignal.any([this.closing.signal, AbortSignal.timeout(RUN_MS)]);
      const { tests } = await this.runner.run({ accountId: account_id, agentId: agent_id }, signal);
      const failed = tests.filter(({ passed }) => !passed).length;
      const ms = Math.round(performance.now() - began);
      this.log.debug({ account_id, agent_id, tests: tests.length, failed, ms }, 'retrieval tests have run');
      await this.runs.end(claim);
    } catch (err) {
      const stopping = this.closing.signal.aborted;
      if (!stopping) this.log.warn({ err, account_id, agent_id }, 'retrieval tests could not run and are retried');
      await this.runs.end(claim, stopping ? 0 : AGAIN_MS);
    }
  }
}
