import { isoTime, timeOrNull } from '@app/common';
import { X509Certificate } from 'node:crypto';
import type { StoredTarget } from './sip-trunk.entity.js';
import { type HealthState, isSameTarget } from './trunk-health.js';
import type { TrunkRow } from './trunks.repository.js';

/** A running dialer checks every `options_ping_seconds`; a result older than this many intervals is stale. */
const STALE_INTERVALS = 3;

/** A trunk as the API and the command line show it. */
export function trunkView(row: TrunkRow, now = new Date()) {
  const health = healthOf(row, now);
  return {
    id: row.id,
    name: row.name,
    active: row.active,
    state: health.state,
    reason: health.reason,
    changed_at: timeOrNull(row.changed_at),
    checked_at: timeOrNull(row.checked_at),
    targets: targetsOf(row).map((target) => targetView(row, target, health)),
    live_calls: row.live_calls,
    concurrent_calls: row.concurrent_calls,
    calls_per_second: row.calls_per_second,
    username: row.username,
    has_password: row.has_password,
    from_domain: row.from_domain,
    assert_identity: row.assert_identity,
    user_phone: row.user_phone,
    headers: row.headers,
    inbound_headers: row.inbound_headers ?? {},
    end_headers: row.end_headers ?? {},
    codecs: row.codecs,
    srtp: row.srtp,
    tls: tlsOf(row),
    transfer: row.transfer,
    livekit_trunk_id: row.livekit_trunk_id,
    dial_formats: row.dial_formats,
    response_timeout_seconds: row.response_timeout_seconds,
    options_ping_seconds: row.options_ping_seconds,
    register: row.register && registerOf(row.register),
    registration: registrationOf(row),
    inbound: inboundOf(row),
    created_at: isoTime(row.created_at),
    updated_at: isoTime(row.updated_at),
  };
}

export type TrunkView = ReturnType<typeof trunkView>;

interface Health {
  state: HealthState;
  reason: string | null;
}

const unknown = (reason: string): Health => ({ state: 'unknown', reason });

/** The last result, unless it is stale. */
function healthOf(row: TrunkRow, now: Date): Health {
  if (!row.active) return unknown('The trunk is not active, so its health is not checked.');
  if (row.options_ping_seconds === 0) return unknown('Its health is not checked: options_ping_seconds is 0.');
  if (row.checked_at === null) return unknown('It has not been checked yet; a running dialer checks it.');
  const age = now.getTime() - row.checked_at.getTime();
  if (age > STALE_INTERVALS * row.options_ping_seconds * 1_000)
    return unknown(`It was ${row.state} at the last check; is a dialer running?`);
  return { state: row.state, reason: row.reason };
}

const targetsOf = ({ targets, host, port, transport }: TrunkRow): StoredTarget[] =>
  targets ?? [{ host, port: port ?? undefined, transport: transport as StoredTarget['transport'], priority: 0 }];

function targetView(row: TrunkRow, target: StoredTarget, health: Health) {
  const place = { host: target.host, port: target.port ?? null, transport: target.transport ?? null };
  const known = health.state === 'unknown' ? undefined : row.target_states.find((one) => isSameTarget(one, place));
  return {
    ...place,
    priority: target.priority,
    state: known?.state ?? ('unknown' as const),
    reason: known?.reason ?? null,
    sip_status: known?.sip_status ?? null,
    rtt_ms: known?.rtt_ms ?? null,
    changed_at: known ? isoTime(new Date(known.changed_at)) : null,
  };
}

const registerOf = ({
  expires,
  outbound_proxy: proxy,
  contact_user: contactUser,
}: NonNullable<TrunkRow['register']>) => ({
  expires,
  outbound_proxy: proxy ? { host: proxy.host, port: proxy.port ?? null, transport: proxy.transport ?? null } : null,
  contact_user: contactUser ?? null,
});

/** null: the trunk is not registered. */
export function registrationOf({
  register,
  active,
  registration,
}: Pick<TrunkRow, 'register' | 'active' | 'registration'>) {
  if (!register) return null;
  const none = { sip_status: null, target: null, expires_at: null, retry_at: null, changed_at: null };
  if (!active) return { ...none, state: 'unregistered' as const, reason: 'The trunk is not active.' };
  if (!registration?.is_kept)
    return { ...none, state: 'unregistered' as const, reason: 'No dialer keeps the registration; is one running?' };
  const time = (at: string | null): string | null => timeOrNull(at === null ? null : new Date(at));
  return {
    state: registration.state,
    reason: registration.reason,
    sip_status: registration.sip_status,
    target: registration.target,
    expires_at: time(registration.expires_at),
    retry_at: time(registration.retry_at),
    changed_at: time(registration.changed_at),
  };
}

/** null: the trunk accepts no inbound calls. */
function inboundOf(row: TrunkRow) {
  const { inbound_enabled: enabled, inbound_addresses: addresses, inbound_username: username } = row;
  if (addresses.length === 0 && username === null) return null;
  return { enabled, addresses, username, has_password: row.has_inbound_password };
}

function tlsOf({ tls_ca, tls_cert, tls_server_name }: TrunkRow) {
  return {
    server_name: tls_server_name,
    own_authorities: tls_ca !== null,
    client_certificate_expires_at: tls_cert === null ? null : isoTime(new Date(new X509Certificate(tls_cert).validTo)),
  };
}
