import type { UsageItem } from '../../usage.js';
import type { ProviderEvent } from '../voice-provider.js';

/** A thousand million tokens, or eleven days: no bill could be written of more, and no call uses as much. */
const MOST = 1_000_000;

/** Whether a quantity can go on the bill as the server counted it. */
export const isBelievable = ({ quantity }: UsageItem): boolean => quantity <= MOST;

export const UNBELIEVABLE_USAGE: ProviderEvent = {
  type: 'error',
  code: 'usage_not_believed',
  message: 'The server counted more than a call can use; it is not on the bill.',
};
