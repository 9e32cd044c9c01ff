import { type Log, UnitsAtWork } from '@app/common';
import { LOG, OWNER } from '@app/common/settings';
import { WakeUpsService } from '@app/queue';
import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { type TestRunClaim, TestRunsRepository } from './test-runs.repository.js';
import { TestRunnerService } from './test-runner.service.js';

/** 200 tests of three questions take seconds; a run that takes longer is aborted before its lease expires. */
const LEASE_MS = 120_000;
const RUN_MS = 100_000;
/** After a failure, such as an embedder that does not respond. */
const AGAIN_MS = 30_000;

/**
 * Runs the retrieval tests of agents whose knowledge or tests changed, accounts in turn. Any number of processes may run it; a run whose
 * process died is repeated after its lease.
 */
@Injectable()
export class DueTestsService implements OnModuleDestroy {
  private readonly units = new UnitsAtWork();
  private lastAccount = 0;

  constructor(
    private readonly runs: TestRunsRepository,
    private readonly runner: TestRunnerService,
    private readonly wakeUps: WakeUpsService,
    @Inject(OWNER) private readonly owner: string,
    @Inject(LOG) private readonly log: Log,
  ) {}

  onModuleDestroy(): Promise<void> {
    return this.stop();
  }

  /** Returns the current run to the queue. */
  stop(): Promise<void> {
    return this.units.stop();
  }

  /** Runs the tests of the next agent. @returns whether some were due */
  runNext(): Promise<boolean> {
    return this.units.do(async () => {
      const claim = await this.runs.claim(this.owner, LEASE_MS, this.lastAccount);
      if (!claim) return false;
      this.lastAccount = claim.account_id;
      this.wakeUps.wakeNext('retrieval-tests');
      await this.run(claim);
      return true;
    });
  }

  private async run(claim: TestRunClaim): Promise<void> {
    const { account_id, agent_id } = claim;
    const began = performance.now();
    try {
      const signal = AbortSignal.any([this.units.signal, AbortSignal.timeout(RUN_MS)]);
      const { tests } = await this.runner.run({ accountId: account_id, agentId: agent_id }, signal);
      const failed = tests.filter(({ passed }) => !passed).length;
      const ms = Math.round(performance.now() - began);
      this.log.debug({ account_id, agent_id, tests: tests.length, failed, ms }, 'retrieval tests have run');
      await this.runs.end(claim);
    } catch (err) {
      const stopping = this.units.isStopping;
      if (!stopping) this.log.warn({ err, account_id, agent_id }, 'retrieval tests could not run and are retried');
      await this.runs.end(claim, stopping ? 0 : AGAIN_MS);
    }
  }
}
