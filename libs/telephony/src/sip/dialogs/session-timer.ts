import { parseParams } from '../messages/headers.js';
import type { SipMessage, SipRequest, SipResponse } from '../messages/message.js';
import { responseTo } from '../messages/responses.js';

/** Result of a refresh: `lost`: the remote party no longer knows the session, or is gone. */
export type Refreshed = 'refreshed' | 'failed' | 'lost';

/** The side that does not refresh hangs up this long before the end (RFC 4028 §10). */
function marginMs(intervalMs: number): number {
  return Math.min(32_000, intervalMs / 3);
}

/** The timer of one session (RFC 4028): refreshes at half the interval when we are the refresher, and reports the expiry. */
export class SessionTimer {
  private refreshing?: NodeJS.Timeout;
  private expiry?: NodeJS.Timeout;
  /** The terms that were agreed last. */
  terms?: SessionTerms;
  /** The longest Min-SE received in this session; each refresh repeats it (RFC 4028 §7.1). Seconds. */
  minSeS = 0;

  constructor(
    private readonly refresh: (intervalS: number) => Promise<Refreshed>,
    private readonly expired: () => void,
  ) {}

  /** Restarts after each 2xx to INVITE or UPDATE. Without terms the timer stops (§7.2). */
  start(terms: SessionTerms | undefined): void {
    this.stop();
    this.terms = terms;
    if (!terms) return;
    const intervalMs = terms.intervalS * 1_000;
    const lastsMs = terms.weRefresh ? intervalMs : intervalMs - marginMs(intervalMs);
    this.expiry = setTimeout(() => this.end(), lastsMs);
    if (terms.weRefresh) this.refreshAfter(intervalMs / 2, terms.intervalS);
  }

  stop(): void {
    clearTimeout(this.refreshing);
    clearTimeout(this.expiry);
    this.refreshing = undefined;
  }

  /** A refusal may be temporary (491, 500): retries after half the time each, bounded by the expiry. */
  private refreshAfter(ms: number, intervalS: number): void {
    const timer = setTimeout(() => void this.refreshNow(timer, ms, intervalS), ms);
    this.refreshing = timer;
  }

  private async refreshNow(timer: NodeJS.Timeout, ms: number, intervalS: number): Promise<void> {
    const outcome = await this.refresh(intervalS);
    // Stopped or restarted meanwhile.
    if (this.refreshing !== timer) return;
    if (outcome === 'failed') this.refreshAfter(Math.max(ms / 2, 250), intervalS);
    else if (outcome === 'lost') this.end();
  }

  private end(): void {
    this.stop();
    this.expired();
  }
}

/** RFC 4028: how long a session lasts without a refresh. Seconds. */
export interface SessionTimerSettings {
  /** The requested interval. */
  expiresS: number;
  /** The shortest accepted interval, at least 90 (RFC 4028 §4). */
  minSeS: number;
}

export const DEFAULT_SESSION_TIMER: SessionTimerSettings = { expiresS: 1_800, minSeS: 90 };

/** The most 422 responses per request: each raises the interval, and a remote party that never accepts it is given up. */
export const MAX_INTERVALS = 3;

/** Longer intervals are useless, and setTimeout is limited to 24 days. */
const MAX_S = 86_400;

/** The agreed session interval. `weRefresh`: we send the refreshes. */
export interface SessionTerms {
  intervalS: number;
  weRefresh: boolean;
}

interface SessionExpires {
  seconds: number;
  refresher?: 'uac' | 'uas';
}

function sessionExpires(message: SipMessage): SessionExpires | undefined {
  const value = message.headers.get('session-expires');
  const [delta, ...params] = value?.split(';') ?? [];
  const seconds = deltaSeconds(delta);
  if (seconds === undefined) return undefined;
  const refresher = parseParams(params.join(';')).get('refresher')?.toLowerCase();
  return { seconds, ...(refresher === 'uac' || refresher === 'uas' ? { refresher } : {}) };
}

/** The Min-SE of a request or of a 422. */
export function minSe(message: SipMessage): number | undefined {
  return deltaSeconds(message.headers.get('min-se')?.split(';', 1)[0]);
}

/** The 422 to a request with an interval below ours; only for a caller that supports session timers (RFC 4028 §9). */
export function intervalTooSmall(request: SipRequest, ours: number, toTag?: string): SipResponse | undefined {
  const asked = sessionExpires(request);
  if (!asked || asked.seconds >= ours || !supportsTimer(request)) return undefined;
  const response = responseTo(request, 422, toTag);
  response.headers.push('min-se', String(ours));
  return response;
}

/** The terms of a remote request and our 2xx (RFC 4028 §9). Undefined: no session timer. */
export function termsOfRequest(request: SipRequest): SessionTerms | undefined {
  const asked = sessionExpires(request);
  if (!asked) return undefined;
  const refresher = asked.refresher ?? (supportsTimer(request) ? 'uac' : 'uas');
  return { intervalS: Math.min(asked.seconds, MAX_S), weRefresh: refresher === 'uas' };
}

/**
 * The terms of our 2xx: those of the request, or our interval when it has none. We then send the refreshes, which needs no support of
 * the remote party (RFC 4028 §9, table 2).
 */
export function termsOfAnswer(request: SipRequest, ours: SessionTimerSettings): SessionTerms {
  const intervalS = Math.min(Math.max(ours.expiresS, minSe(request) ?? 0), MAX_S);
  return termsOfRequest(request) ?? { intervalS, weRefresh: true };
}

/** The headers of our 2xx to that request. */
export function writeTerms(response: SipResponse, terms: SessionTerms): void {
  const refresher = terms.weRefresh ? 'uas' : 'uac';
  response.headers.push('session-expires', `${terms.intervalS};refresher=${refresher}`);
  // §9: the caller must know its part.
  if (!terms.weRefresh) response.headers.push('require', 'timer');
}

/** The terms of our request and the remote 2xx (RFC 4028 §7.2). Undefined: no session timer. */
export function termsOfResponse(response: SipResponse): SessionTerms | undefined {
  const agreed = sessionExpires(response);
  if (!agreed) return undefined;
  // The parameter is mandatory here; without it we refresh.
  return { intervalS: Math.min(agreed.seconds, MAX_S), weRefresh: agreed.refresher !== 'uas' };
}

function supportsTimer(request: SipRequest): boolean {
  return [...request.headers.list('supported'), ...request.headers.list('require')].includes('timer');
}

function deltaSeconds(text: string | undefined): number | undefined {
  const digits = text?.trim();
  if (digits === undefined || !/^\d{1,10}$/.test(digits)) return undefined;
  const seconds = Number(digits);
  return seconds > 0 ? seconds : undefined;
}
