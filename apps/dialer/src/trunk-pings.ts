import { type ClaimedHealthCheck, nextHealth, type OpenTrunkSecret, type TrunksService, trunkOf } from '@app/accounts';
import { runPeriodically, type Log, type PeriodicTask } from '@app/common';
import type { CarrierEngine, TrunkHealth } from '@app/telephony';

const POLL_MS = 2_000;
/** Trunks asked at the same time by one process. */
const AT_ONCE = 20;

export interface TrunkPingParts {
  log: Log;
  openTrunkSecret: OpenTrunkSecret;
  engine: Pick<CarrierEngine, 'health'>;
}

/** Checks the health of the trunks that are due, each by one dialer only, and stores the results. */
export class TrunkPings {
  private readonly repeating: PeriodicTask;
  private underWay = 0;
  private stopped = false;

  constructor(
    private readonly parts: TrunkPingParts,
    private readonly trunks: TrunksService,
  ) {
    this.repeating = runPeriodically(POLL_MS, () => this.begin(), parts.log);
  }

  /** Starts no more checks, and drops the results of those under way: the stopping process may be the reason for a failure. */
  async stop(): Promise<void> {
    this.stopped = true;
    await this.repeating.stop();
  }

  /** A slow trunk does not delay the others. */
  private async begin(): Promise<void> {
    if (this.underWay >= AT_ONCE) return;
    for (const ping of await this.trunks.claimHealthChecks(AT_ONCE - this.underWay)) {
      this.underWay += 1;
      this.ask(ping)
        .catch((err: unknown) =>
          this.parts.log.error({ err, trunk_id: ping.trunkId }, 'the health of a trunk was not kept'),
        )
        .finally(() => (this.underWay -= 1));
    }
  }

  private async ask(ping: ClaimedHealthCheck): Promise<void> {
    const { log } = this.parts;
    const { targets } = await this.healthOf(ping);
    const found = nextHealth(ping.before.targets, targets, new Date());
    if (this.stopped || !(await this.trunks.storeHealth(ping, found)) || found.state === ping.before.state) return;
    const fields = { account_id: ping.accountId, trunk_id: ping.trunkId };
    if (found.state === 'down') log.warn(fields, 'a trunk cannot be reached');
    else log.info(fields, 'a trunk can be reached');
  }

  /** An error before the request counts as unreachable. */
  private async healthOf({ trunk, trunkId }: ClaimedHealthCheck): Promise<TrunkHealth> {
    try {
      return await this.parts.engine.health(trunkOf(trunk, this.parts.openTrunkSecret));
    } catch (err) {
      this.parts.log.error({ err, trunk_id: trunkId }, 'a trunk could not be asked for its health');
      const target = { host: trunk.host, port: trunk.port ?? undefined, transport: trunk.transport, priority: 0 };
      return {
        targets: [{ target, reachable: false, reason: 'It could not be asked: the log of the dialer says why.' }],
      };
    }
  }
}
