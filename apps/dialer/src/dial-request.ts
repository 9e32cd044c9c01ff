import type { DialRequest, IncomingRequest } from '@app/telephony';
import { trunkOf } from '@app/accounts';
import type { DialOrder } from './load-dial.js';
import type { RunParts } from './run-parts.js';
import { redirectAllowed } from './destination-policy.js';
import { type ChosenHeaders, trunkHeaders } from './trunk-headers.js';

export function dialRequest(order: DialOrder, parts: Pick<RunParts, 'recordings' | 'openTrunkSecret'>): DialRequest {
  return {
    legId: order.id,
    destination: order.to_number.startsWith('+')
      ? { kind: 'e164', number: order.to_number }
      : { kind: 'sip', uri: order.to_number },
    from: { number: order.from_number },
    anonymous: order.settings.anonymous ?? false,
    trunk: order.trunk ? trunkOf(order.trunk, parts.openTrunkSecret) : undefined,
    headers: headersOf(order).headers,
    redirectAllowed: (uri) => redirectAllowed(order, uri),
    ringTimeoutMs: order.ring_timeout_seconds * 1_000,
    recordTo: order.record ? parts.recordings.pathOf(order.id) : undefined,
  };
}

export function incomingRequest(order: DialOrder, parts: Pick<RunParts, 'recordings'>): IncomingRequest {
  return {
    legId: order.id,
    recordTo: order.record ? parts.recordings.pathOf(order.id) : undefined,
    codecs: order.trunk?.codecs ?? undefined,
    srtp: order.trunk?.srtp,
  };
}

/** What the trunk's allow-list makes of the metadata of the call. */
export const headersOf = ({ trunk, metadata }: DialOrder): ChosenHeaders =>
  trunkHeaders(trunk?.headers ?? {}, metadata);
