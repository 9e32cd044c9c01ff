import { isoTime, NotFound, Unavailable } from '@app/common';
import { Injectable } from '@nestjs/common';
import { setTimeout as delay } from 'node:timers/promises';
import { CallsInProgressRepository } from '../records/calls-in-progress.repository.js';
import type { TrunkState } from './trunk-health.js';
import { registrationOf } from './trunk.presenter.js';
import { type ClaimedHealthCheck, type TrunkCheck, TrunksRepository } from './trunks.repository.js';

const POLL_MS = 250;
const DEADLINE_MS = 10_000;

/** The result of a test: the response of each target to OPTIONS. */
export type TrunkTestView = ReturnType<typeof testView>;

/** The health checks of trunks: dialers claim and store them, the API requests one at once. */
@Injectable()
export class TrunkHealthService {
  /** By trunk: concurrent requests of this process wait for the same result. */
  private readonly tests = new Map<number, Promise<TrunkTestView>>();

  constructor(
    private readonly trunks: TrunksRepository,
    private readonly calls: CallsInProgressRepository,
  ) {}

  /** Claims trunks whose health check is due, each for one dialer. */
  claim(limit: number): Promise<ClaimedHealthCheck[]> {
    return this.trunks.claimHealthChecks(limit);
  }

  /** false: the claim has expired, or the trunk was changed meanwhile; the result is dropped. */
  store(claimed: ClaimedHealthCheck, found: TrunkState): Promise<boolean> {
    return this.trunks.storeHealth(claimed, found);
  }

  /**
   * Lets a dialer send OPTIONS to every target of the trunk, and REGISTER where that is configured; a result of the last two seconds is returned again. Throws NotFound, and
   * Unavailable when no dialer runs or none has finished within ten seconds.
   */
  async test(accountId: number, trunkId: number): Promise<TrunkTestView> {
    const check = await this.lastCheck(accountId, trunkId);
    if (check.is_new) return testView(check);
    const running = this.tests.get(trunkId);
    if (running) return running;
    const test = this.run(accountId, trunkId, check.now).finally(() => this.tests.delete(trunkId));
    this.tests.set(trunkId, test);
    return test;
  }

  private async run(accountId: number, trunkId: number, since: string): Promise<TrunkTestView> {
    if (!(await this.calls.haveDialer())) throw new Unavailable('No dialer is running.');
    await this.trunks.requestTest(trunkId);
    const deadline = performance.now() + DEADLINE_MS;
    while (performance.now() < deadline) {
      await delay(POLL_MS);
      const check = await this.lastCheck(accountId, trunkId, since);
      if (check.is_new) return testView(check);
    }
    throw new Unavailable(
      'No dialer has finished the test within 10 seconds. The result becomes part of the trunk when it is there.',
    );
  }

  private async lastCheck(accountId: number, trunkId: number, since?: string): Promise<TrunkCheck> {
    const check = await this.trunks.lastCheck(accountId, trunkId, since);
    if (!check) throw new NotFound('Trunk');
    return check;
  }
}

const testView = ({ checked_at: checkedAt, state, reason, targets, ...trunk }: TrunkCheck) => ({
  state,
  reason,
  checked_at: isoTime(checkedAt ?? new Date()),
  targets: targets.map(({ changed_at: _changedAt, ...target }) => target),
  registration: registrationOf(trunk),
});
