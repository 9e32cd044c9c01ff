import { KeyedSemaphore, type Release } from '@app/common';

/** Look-ups of one trunk at a time. The lock of its account lets only one decide; a second one is being read or written meanwhile. */
const LOOK_UPS_PER_TRUNK = 2;
/** Further calls of a trunk that wait in memory for their look-up: half a second at a usual database. More are refused. */
const MAX_WAITING_PER_TRUNK = 50;

/**
 * Inbound calls of one trunk are looked up one after the other. While they wait they hold neither a place of the dialer nor a connection
 * to the database, so that a trunk that floods does not refuse or delay the calls of others.
 */
export class ArrivalTurns {
  private readonly arrivals = new KeyedSemaphore<string>(LOOK_UPS_PER_TRUNK + MAX_WAITING_PER_TRUNK);
  private readonly lookUps = new KeyedSemaphore<string>(LOOK_UPS_PER_TRUNK);

  /** Runs `lookUp` when it is the turn of the trunk. False: too many calls of the trunk wait, and `lookUp` was not called. */
  async take(trunk: string, lookUp: () => Promise<boolean>): Promise<boolean> {
    const arrival = this.arrivals.tryAcquire(trunk);
    if (!arrival) return false;
    let turn: Release | undefined;
    try {
      turn = await this.lookUps.acquire(trunk);
      return await lookUp();
    } finally {
      turn?.();
      arrival();
    }
  }
}
