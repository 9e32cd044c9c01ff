import type { CallLeg, LegEvents } from './carrier-engine.js';
import type { HangupCause } from './hangup-cause.js';

/** setTimeout takes no more than 31 bits of milliseconds. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

interface RegisteredLeg extends Pick<CallLeg, 'hangup'> {
  once(event: 'ended', listener: (...args: LegEvents['ended']) => void): unknown;
}

/** The legs of one engine that have not ended, and their end when the engine drains. */
export class LegRegistry<Leg extends RegisteredLeg> {
  private readonly legs = new Set<Leg>();
  private waiters: (() => void)[] = [];

  get size(): number {
    return this.legs.size;
  }

  add(leg: Leg): void {
    this.legs.add(leg);
    leg.once('ended', () => this.remove(leg));
  }

  hangUpAll(cause: HangupCause): void {
    for (const leg of this.legs) leg.hangup(cause);
  }

  /** Resolves when every leg has ended; those that are left at `deadline` are hung up as `drained`. */
  async drain(deadline: Date): Promise<void> {
    const ms = Math.min(Math.max(0, deadline.getTime() - Date.now()), LONGEST_TIMER_MS);
    const timer = setTimeout(() => this.hangUpAll('drained'), ms);
    await this.empty();
    clearTimeout(timer);
  }

  /** Resolves when every leg has ended. */
  empty(): Promise<void> {
    if (this.legs.size === 0) return Promise.resolve();
    return new Promise((resolve) => this.waiters.push(resolve));
  }

  private remove(leg: Leg): void {
    this.legs.delete(leg);
    if (this.legs.size > 0) return;
    for (const resolve of this.waiters.splice(0)) resolve();
  }
}
