import { destinationAllowed } from '@app/accounts';
import type { DialRequest, HangupCause } from '@app/telephony';
import { trunkOf } from './dial-trunk.js';
import type { DialOrder } from './load-dial.js';
import type { RunParts } from './run-parts.js';
import { type ChosenHeaders, trunkHeaders } from './trunk-headers.js';

/** Why a call that was accepted must not be dialled now: the account's limits may have changed while it waited. */
export function dialRefusal(order: DialOrder): HangupCause | undefined {
  const limits = { allow: order.destinations_allow, deny: order.destinations_deny };
  if (order.to_number.startsWith('+') && destinationAllowed(limits, order.to_number)) return 'blocked_destination';
  const limit = order.daily_spend_micros;
  return limit !== null && Number(order.spent_micros) >= Number(limit) ? 'spend_limit' : undefined;
}

export function dialRequest(order: DialOrder, parts: Pick<RunParts, 'recordings' | 'openTrunkSecret'>): DialRequest {
  return {
    legId: order.id,
    destination: order.to_number.startsWith('+')
      ? { kind: 'e164', number: order.to_number }
      : { kind: 'sip', uri: order.to_number },
    from: { number: order.from_number },
    trunk: order.trunk ? trunkOf(order.trunk, parts.openTrunkSecret) : undefined,
    headers: headersOf(order).headers,
    ringTimeoutMs: order.ring_timeout_seconds * 1_000,
    recordTo: order.record ? parts.recordings.pathOf(order.id) : undefined,
  };
}

/** What the trunk's allow-list makes of the metadata of the call. */
export const headersOf = ({ trunk, metadata }: DialOrder): ChosenHeaders =>
  trunkHeaders(trunk?.headers ?? {}, metadata);
