import type { Responder, TargetHealth } from '@app/telephony';

export const HEALTH_STATES = ['up', 'down', 'unknown'] as const;
export type HealthState = (typeof HEALTH_STATES)[number];

/** Result of the last OPTIONS request to one target, as stored in `trunk_health.targets`. Times are ISO 8601. */
export interface TargetState {
  host: string;
  port: number | null;
  transport: string | null;
  state: Exclude<HealthState, 'unknown'>;
  /** Status of the response. */
  sip_status: number | null;
  rtt_ms: number | null;
  /** Why the target is down. */
  reason: string | null;
  changed_at: string;
}

export interface TrunkState {
  state: HealthState;
  reason: string | null;
  targets: TargetState[];
}

/** The state of a trunk after a check of its targets: up while at least one of them is up. */
export function nextHealth(before: readonly TargetState[], results: readonly TargetHealth[], at: Date): TrunkState {
  const targets = results.map((result) => targetState(before, result, at));
  const down = targets.filter(({ state }) => state === 'down');
  if (down.length === 0) return { state: 'up', reason: null, targets };
  if (down.length === targets.length) return { state: 'down', reason: down[0]?.reason ?? null, targets };
  return { state: 'up', reason: `${down.length} of ${targets.length} targets cannot be reached.`, targets };
}

function targetState(before: readonly TargetState[], result: TargetHealth, at: Date): TargetState {
  const { target, reachable, status, rttMs, reason } = result;
  // SIP writes IPv6 addresses in brackets; settings may not.
  const host = target.host.replace(/^\[|\]$/g, '');
  const place = { host, port: target.port ?? null, transport: target.transport ?? null };
  const state = reachable ? 'up' : 'down';
  const known = before.find((one) => isSameTarget(one, place));
  return {
    ...place,
    state,
    sip_status: status ?? null,
    rtt_ms: rttMs === undefined ? null : Math.round(rttMs * 10) / 10,
    reason: reachable ? null : (reason ?? 'It does not respond.'),
    changed_at: known?.state === state ? known.changed_at : at.toISOString(),
  };
}

/** 401, 403 and 407: the server does not trust the address of this installation. */
const DISTRUSTS: readonly (number | undefined)[] = [401, 403, 407];

/** A target of a trunk, and its address that responded. */
export interface AnsweringTarget {
  target: { host: string; port?: number | null };
  responder: Responder;
}

/** The targets whose answer to OPTIONS shows that they may accept calls by the address of this installation alone. */
export const answeringTargets = (results: readonly TargetHealth[]): AnsweringTarget[] =>
  results.flatMap(({ target, reachable, status, responder }) =>
    reachable && responder && !DISTRUSTS.includes(status) ? [{ target, responder }] : [],
  );

type Place = Pick<TargetState, 'host' | 'port' | 'transport'>;

export const isSameTarget = (a: Place, b: Place): boolean =>
  a.host === b.host && a.port === b.port && a.transport === b.transport;
