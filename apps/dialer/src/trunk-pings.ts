import { claimPings, type ClaimedPing, nextHealth, type OpenTrunkSecret, storeHealth, trunkOf } from '@app/accounts';
import { runPeriodically, type Log, type PeriodicTask } from '@app/common';
import type { CarrierEngine, TrunkHealth } from '@app/telephony';
import type { Pool } from 'pg';

const POLL_MS = 2_000;
/** Trunks asked at the same time by one process. */
const AT_ONCE = 20;

export interface TrunkPingParts {
  pool: Pool;
  log: Log;
  openTrunkSecret: OpenTrunkSecret;
  engine: Pick<CarrierEngine, 'health'>;
}

/** Asks the trunks that are due for their health, each by one dialer only, and keeps what they say. */
export class TrunkPings {
  private readonly repeating: PeriodicTask;
  private underWay = 0;
  private stopped = false;

  constructor(private readonly parts: TrunkPingParts) {
    this.repeating = runPeriodically(POLL_MS, () => this.begin(), parts.log);
  }

  /** Begins no more; what is under way is not waited for, and not kept: we may be the reason that nobody answers. */
  async stop(): Promise<void> {
    this.stopped = true;
    await this.repeating.stop();
  }

  /** A trunk that takes its time does not hold up the others. */
  private async begin(): Promise<void> {
    if (this.underWay >= AT_ONCE) return;
    for (const ping of await claimPings(this.parts.pool, AT_ONCE - this.underWay)) {
      this.underWay += 1;
      this.ask(ping)
        .catch((err: unknown) =>
          this.parts.log.error({ err, trunk_id: ping.trunkId }, 'the health of a trunk was not kept'),
        )
        .finally(() => (this.underWay -= 1));
    }
  }

  private async ask(ping: ClaimedPing): Promise<void> {
    const { pool, log } = this.parts;
    const { targets } = await this.healthOf(ping);
    const found = nextHealth(ping.before.targets, targets, new Date());
    if (this.stopped || !(await storeHealth(pool, ping, found)) || found.state === ping.before.state) return;
    const fields = { account_id: ping.accountId, trunk_id: ping.trunkId };
    if (found.state === 'down') log.warn(fields, 'a trunk cannot be reached');
    else log.info(fields, 'a trunk can be reached');
  }

  /** A trunk that cannot even be asked is told as such. */
  private async healthOf({ trunk, trunkId }: ClaimedPing): Promise<TrunkHealth> {
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
