import {
  answeringTargets,
  type ClaimedHealthCheck,
  nextHealth,
  SipRoutesService,
  TrunkHealthService,
} from '@app/accounts';
import { type Log, type PeriodicTask, runPeriodically } from '@app/common';
import { LOG } from '@app/common/settings';
import type { TrunkHealth } from '@app/telephony';
import { Inject, Injectable } from '@nestjs/common';
import { TelephonyService } from './telephony.service.js';

/** A test of the API waits for the next look. */
const POLL_MS = 1_000;
/** Trunks that one process checks at the same time. */
const AT_ONCE = 20;

/** Checks the health of the trunks that are due, each by one dialer only, and stores the results. */
@Injectable()
export class TrunkHealthMonitorService {
  private repeating?: PeriodicTask;
  private underWay = 0;
  private stopped = false;

  constructor(
    private readonly trunks: TrunkHealthService,
    @Inject(TelephonyService) private readonly telephony: Pick<TelephonyService, 'health'>,
    @Inject(SipRoutesService) private readonly routes: Pick<SipRoutesService, 'answered'>,
    @Inject(LOG) private readonly log: Log,
  ) {}

  start(): void {
    this.repeating = runPeriodically(POLL_MS, () => this.begin(), this.log);
  }

  /** Starts no more checks, and drops the results of running ones: the stopping process may have caused a failure. */
  async stop(): Promise<void> {
    this.stopped = true;
    await this.repeating?.stop();
  }

  /** A slow trunk does not delay the others. */
  private async begin(): Promise<void> {
    if (this.underWay >= AT_ONCE) return;
    for (const due of await this.trunks.claim(AT_ONCE - this.underWay)) {
      this.underWay += 1;
      this.check(due)
        .catch((err: unknown) =>
          this.log.error({ err, trunk_id: due.trunkId }, 'the health of a trunk could not be stored'),
        )
        .finally(() => (this.underWay -= 1));
    }
  }

  private async check(due: ClaimedHealthCheck): Promise<void> {
    const { log } = this;
    const { targets } = await this.healthOf(due);
    const found = nextHealth(due.before.targets, targets, new Date());
    if (this.stopped || !(await this.trunks.store(due, found))) return;
    if (found.state !== due.before.state) {
      const fields = { account_id: due.accountId, trunk_id: due.trunkId };
      if (found.state === 'down') log.warn(fields, 'a trunk cannot be reached');
      else log.info(fields, 'a trunk can be reached');
    }
    await this.storePlaces(due.trunkId, targets);
  }

  private async storePlaces(trunkId: number, targets: TrunkHealth['targets']): Promise<void> {
    try {
      await this.routes.answered(trunkId, answeringTargets(targets));
    } catch (err) {
      this.log.error({ err, trunk_id: trunkId }, 'the places of a trunk could not be stored');
    }
  }

  /** An error before the request counts as unreachable. */
  private async healthOf({ trunk, trunkId }: ClaimedHealthCheck): Promise<TrunkHealth> {
    try {
      return await this.telephony.health(trunk);
    } catch (err) {
      this.log.error({ err, trunk_id: trunkId }, 'the health of a trunk could not be checked');
      const target = { host: trunk.host, port: trunk.port ?? undefined, transport: trunk.transport, priority: 0 };
      return {
        targets: [{ target, reachable: false, reason: 'The check failed; the log of the dialer contains the error.' }],
      };
    }
  }
}
