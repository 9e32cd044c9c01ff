import { KeyedSemaphore, type Release } from '@app/common';

/** Calls of one key at a time. The lock of an account lets only one decide; a second one is being read or written meanwhile. */
const AT_ONCE = 2;
/** Further calls of a key that wait in memory for their turn: half a second at a usual database. More are refused. */
const MAX_WAITING = 50;

/**
 * Inbound calls with the same key take turns. While they wait they hold neither a place of the dialer nor a connection to the database,
 * so that a trunk that floods does not refuse or delay the calls of others.
 */
export class ArrivalTurns<Key> {
  private readonly arrivals = new KeyedSemaphore<Key>(AT_ONCE + MAX_WAITING);
  private readonly turns = new KeyedSemaphore<Key>(AT_ONCE);

  /** Runs `work` when it is the turn of its key. Undefined: too many calls of the key wait, and `work` was not called. */
  async take<Result>(key: Key, work: () => Promise<Result>): Promise<Result | undefined> {
    const arrival = this.arrivals.tryAcquire(key);
    if (!arrival) return undefined;
    let turn: Release | undefined;
    try {
      turn = await this.turns.acquire(key);
      return await work();
    } finally {
      turn?.();
      arrival();
    }
  }
}

/**
 * The two turns of an inbound call: a short one among all calls with the same possible trunks, to find the called number, then one among
 * the calls of its trunk. So a call that waits for the lock of a busy account delays no call of another account at the same carrier.
 */
export class ArrivalDesk {
  private readonly lookUps = new ArrivalTurns<string>();
  private readonly decisions = new ArrivalTurns<number>();

  /**
   * @param trunks the possible trunks of the call: several when accounts share a carrier
   * @param find undefined: the call needs no decision
   * @returns the decision; false when too many calls wait for the same turn
   */
  async receive<Found extends { trunk_id: number }>(
    trunks: readonly string[],
    find: () => Promise<Found | undefined>,
    decide: (found: Found) => Promise<boolean>,
  ): Promise<boolean> {
    const lookUp = await this.lookUps.take(trunks.join(), async () => ({ found: await find() }));
    if (!lookUp) return false;
    const { found } = lookUp;
    if (!found) return true;
    return (await this.decisions.take(found.trunk_id, () => decide(found))) ?? false;
  }
}
