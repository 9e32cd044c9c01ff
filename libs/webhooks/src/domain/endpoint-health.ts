import type { AttemptResult } from './retry-schedule.js';

export type DisabledReason = 'gone' | 'failing';

/** `last_error` of deliveries to a disabled endpoint. */
export const DISABLED_ERROR: Record<DisabledReason, string> = {
  gone: 'Not sent: the endpoint is disabled because it answered 410 (Gone).',
  failing: 'Not sent: the endpoint is disabled because all attempts of 120 hours failed.',
};

/** The endpoint of an `http` or `https` URL, as `webhook_endpoints` stores it: without query and fragment. */
export const endpointOf = (url: string): string => url.split(/[?#]/, 1)[0] ?? url;

/** The results of an account's requests to one endpoint; times in ms of the database's clock. */
export interface EndpointHealth {
  failingSince: number | null;
  lastFailureAt: number | null;
  lastSuccessAt: number | null;
  lastStatus: number | null;
  disabledAt: number | null;
  disabledReason: DisabledReason | null;
}

/** The attempts of one process since its last report. */
export interface EndpointReport {
  succeeded: boolean;
  /** An attempt failed after the last success. */
  failed: boolean;
  gone: boolean;
  status: number | null;
}

const HOUR = 3_600_000;
const DISABLE_AFTER_MS = 120 * HOUR;
/** The longest wait of the slow lane is 24 h ± 20 %. A longer time without an attempt does not count as failing. */
const SILENCE_MS = 48 * HOUR;

/** The health of an endpoint after a report. A disabled endpoint stays disabled until a request enables it. */
export function endpointAfter(health: EndpointHealth, report: EndpointReport, now: number): EndpointHealth {
  const seen = { ...health, lastStatus: report.status ?? health.lastStatus };
  if (report.succeeded) Object.assign(seen, { lastSuccessAt: now, failingSince: null });
  if (report.failed) Object.assign(seen, { lastFailureAt: now, failingSince: failingSince(seen, now) });
  const reason = seen.disabledReason ?? reasonToDisable(seen, report, now);
  return { ...seen, disabledReason: reason, disabledAt: reason && (seen.disabledAt ?? now) };
}

function failingSince({ failingSince: since, lastFailureAt }: EndpointHealth, now: number): number {
  return since === null || now - (lastFailureAt ?? since) > SILENCE_MS ? now : since;
}

function reasonToDisable(health: EndpointHealth, report: EndpointReport, now: number): DisabledReason | null {
  if (report.gone) return 'gone';
  return health.failingSince !== null && now - health.failingSince >= DISABLE_AFTER_MS ? 'failing' : null;
}

/** Adds one attempt to a report. */
export function withAttempt(before: EndpointReport | undefined, result: AttemptResult): EndpointReport {
  const status = result.kind === 'answered' ? result.status : null;
  const ok = status !== null && status >= 200 && status < 300;
  return {
    succeeded: ok || (before?.succeeded ?? false),
    failed: !ok,
    gone: status === 410 || (before?.gone ?? false),
    status: status ?? before?.status ?? null,
  };
}
