import type { DisabledReason } from './endpoints.js';
import type { AttemptResult } from './retry-schedule.js';

/** What an account's requests to one endpoint came to, times in ms of the database's clock. */
export interface EndpointHealth {
  failingSince: number | null;
  lastFailureAt: number | null;
  lastSuccessAt: number | null;
  lastStatus: number | null;
  disabledAt: number | null;
  disabledReason: DisabledReason | null;
}

/** What one process saw since it last told. */
export interface EndpointNews {
  succeeded: boolean;
  /** After the last success, if there was one. */
  failed: boolean;
  gone: boolean;
  status: number | null;
}

const HOUR = 3_600_000;
const PATIENCE_MS = 120 * HOUR;
/** The longest wait of the slow lane is 24 h ± 20 %: without an attempt for longer than this nothing is known, and nothing is counted. */
const SILENCE_MS = 48 * HOUR;

/** What the news makes of an endpoint. A disabled one stays so until it is enabled by somebody. */
export function endpointAfter(health: EndpointHealth, news: EndpointNews, now: number): EndpointHealth {
  const seen = { ...health, lastStatus: news.status ?? health.lastStatus };
  if (news.succeeded) Object.assign(seen, { lastSuccessAt: now, failingSince: null });
  if (news.failed) Object.assign(seen, { lastFailureAt: now, failingSince: failingSince(seen, now) });
  const reason = seen.disabledReason ?? reasonToDisable(seen, news, now);
  return { ...seen, disabledReason: reason, disabledAt: reason && (seen.disabledAt ?? now) };
}

function failingSince({ failingSince: since, lastFailureAt }: EndpointHealth, now: number): number {
  return since === null || now - (lastFailureAt ?? since) > SILENCE_MS ? now : since;
}

function reasonToDisable(health: EndpointHealth, news: EndpointNews, now: number): DisabledReason | null {
  if (news.gone) return 'gone';
  return health.failingSince !== null && now - health.failingSince >= PATIENCE_MS ? 'failing' : null;
}

/** The news of one attempt, on top of what came before it. */
export function withAttempt(before: EndpointNews | undefined, result: AttemptResult): EndpointNews {
  const status = result.kind === 'answered' ? result.status : null;
  const ok = status !== null && status >= 200 && status < 300;
  return {
    succeeded: ok || (before?.succeeded ?? false),
    failed: !ok,
    gone: status === 410 || (before?.gone ?? false),
    status: status ?? before?.status ?? null,
  };
}
