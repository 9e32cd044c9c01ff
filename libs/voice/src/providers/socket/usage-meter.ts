import type { Clock } from '../../clock.js';
import type { UsageItem } from '../../usage.js';
import type { ProviderEvent } from '../voice-provider.js';

/** The time connected, for a server that charges by it. */
export class ConnectionTimeMeter {
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

/** A thousand million tokens, or eleven days: no bill could be written of more, and no call uses as much. */
const MOST = 1_000_000;

/** Whether a quantity can go on the bill as the server counted it. */
export const isPlausible = ({ quantity }: UsageItem): boolean => quantity <= MOST;

export const IMPLAUSIBLE_USAGE: ProviderEvent = {
  type: 'error',
  code: 'usage_not_believed',
  message: 'The server counted more than a call can use; it is not on the bill.',
};
