import { destinationAllowed } from '@app/accounts';
import type { DialRequest, HangupCause } from '@app/telephony';
import type { DialOrder, DialTrunk } from './load-dial.js';
import type { RunParts } from './run-parts.js';

/** Why a call that was accepted must not be dialled now: the account's limits may have changed while it waited. */
export function dialRefusal(order: DialOrder): HangupCause | undefined {
  const limits = { allow: order.destinations_allow, deny: order.destinations_deny };
  if (order.to_number.startsWith('+') && destinationAllowed(limits, order.to_number)) return 'blocked_destination';
  const limit = order.daily_spend_micros;
  return limit !== null && Number(order.spent_micros) >= Number(limit) ? 'spend_limit' : undefined;
}

export function dialRequest(order: DialOrder, parts: Pick<RunParts, 'recordings' | 'openTrunkPassword'>): DialRequest {
  return {
    legId: order.id,
    destination: order.to_number.startsWith('+')
      ? { kind: 'e164', number: order.to_number }
      : { kind: 'sip', uri: order.to_number },
    from: { number: order.from_number },
    trunk: order.trunk ? trunkOf(order.trunk, parts.openTrunkPassword) : undefined,
    ringTimeoutMs: order.ring_timeout_seconds * 1_000,
    recordTo: order.record ? parts.recordings.pathOf(order.id) : undefined,
  };
}

function trunkOf(trunk: DialTrunk, openPassword: (sealed: string) => string): NonNullable<DialRequest['trunk']> {
  return {
    targets: [{ host: trunk.host, port: trunk.port ?? undefined, transport: trunk.transport, priority: 0 }],
    username: trunk.username ?? undefined,
    password: trunk.password_sealed === null ? undefined : openPassword(trunk.password_sealed),
    fromDomain: trunk.from_domain ?? undefined,
  };
}
