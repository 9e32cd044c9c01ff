import type { Clock } from '../../clock.js';
import type { UsageItem } from '../../usage.js';

/** The time connected, for a server that charges by it. */
export class TimeBill {
  private readonly connectedAt: number;
  private billedMs = 0;

  constructor(
    private readonly clock: Clock,
    private readonly source: string,
  ) {
    this.connectedAt = clock.now();
  }

  /** What went by since the last bill, in whole milliseconds, so that all parts add up to the total. */
  due(): UsageItem[] {
    const activeMs = Math.round(this.clock.now() - this.connectedAt);
    const quantity = (activeMs - this.billedMs) / 1000;
    this.billedMs = activeMs;
    return quantity > 0 ? [{ kind: 'agent_seconds', quantity, unit: 'second', source: this.source }] : [];
  }
}
