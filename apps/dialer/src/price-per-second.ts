import { type PriceBook, unitPrice } from '@app/voice';
import { billOf, chargedLegs } from './bill.js';
import type { CallContext } from './call-context.service.js';

const SECONDS = 1_000;

/**
 * What the time of a call can cost, in micro-USD per second: its carrier, the carrier of the leg it may be transferred to, and an
 * agent that is paid by the second. What models charge by the token is not in it; it does not run by itself.
 */
export function microsPerSecond(
  prices: PriceBook,
  context: Pick<CallContext, 'direction' | 'to_number' | 'settings' | 'provider' | 'provider_options'>,
): number {
  const connectedMs = SECONDS * 1_000;
  const transfer = context.settings.transfer;
  const legs = chargedLegs(context, connectedMs, []);
  if (transfer) legs.push({ destination: transfer.phone_number, connectedMs });
  const { provider, provider_options: options } = context;
  const agent =
    unitPrice(prices, 'agent_seconds', provider) ??
    unitPrice(prices, 'agent_seconds', `${provider}:${options.model ?? ''}`);
  return billOf(prices, legs, []).costMicros / SECONDS + (agent ?? 0);
}
