import type { Clock } from '../../clock.js';
import type { UsageItem } from '../../usage.js';
import type { ProviderEvent } from '../voice-provider.js';

/** Meters the connected time, for a server that charges by it. */
export class ConnectionTimeMeter {
  private readonly connectedAt: number;
  private billedMs = 0;

  constructor(
    private readonly clock: Clock,
    private readonly source: string,
  ) {
    this.connectedAt = clock.now();
  }

  /** The time since the last call, in whole milliseconds, so that all parts add up to the total. */
  due(): UsageItem[] {
    const activeMs = Math.round(this.clock.now() - this.connectedAt);
    const quantity = (activeMs - this.billedMs) / 1000;
    this.billedMs = activeMs;
    return quantity > 0 ? [{ kind: 'agent_seconds', quantity, unit: 'second', source: this.source }] : [];
  }
}

/** A thousand million tokens, or eleven days: no call uses as much, and larger amounts overflow the bill. */
const MAX_QUANTITY = 1_000_000;

/** Whether the quantity may be billed. */
export const isPlausible = ({ quantity }: UsageItem): boolean => quantity <= MAX_QUANTITY;

export const IMPLAUSIBLE_USAGE: ProviderEvent = {
  type: 'error',
  code: 'usage_not_believed',
  message: 'The server reported an implausible usage, which is not billed.',
};
