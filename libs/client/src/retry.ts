/** Retry settings of requests. */
export interface RetryOptions {
  /** Number of retries. Default: 4. */
  retries?: number;
  /** Delay before the first retry in ms; doubled per retry, with 50 % jitter. Default: 250. */
  firstWaitMs?: number;
  /** Maximum delay in ms, also for `Retry-After`. Default: 30,000. */
  longestWaitMs?: number;
  /** Timeout per attempt in ms, until the response headers arrive. Default: 30,000. */
  timeoutMs?: number;
}

type Fetch = (request: Request) => Promise<Response>;

const PASSING = new Set([502, 503, 504]);
const REPEATABLE = new Set(['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS']);

/**
 * A fetch with retries. Idempotent methods (RFC 9110 §9.2.2) and requests with an `Idempotency-Key` are retried after a lost connection
 * or 502, 503, 504; all requests are retried after 429, because the service did not execute them.
 */
export function retryingFetch(fetch: Fetch, options: RetryOptions = {}): Fetch {
  const { retries = 4, firstWaitMs = 250, longestWaitMs = 30_000, timeoutMs = 30_000 } = options;
  return async (request) => {
    for (let tried = 0; ; tried++) {
      const last = tried >= retries;
      const backOff = Math.min(longestWaitMs, firstWaitMs * 2 ** tried) * (0.5 + Math.random());
      const outcome = await attempt(fetch, last ? request : request.clone(), timeoutMs);
      if (last || !mayRepeat(request, outcome)) return answerOf(outcome);
      const asked = outcome instanceof Response ? retryAfterMs(outcome) : undefined;
      if (asked !== undefined && asked > longestWaitMs) return answerOf(outcome);
      if (outcome instanceof Response) await outcome.body?.cancel();
      await waited(asked ?? backOff, request.signal);
    }
  };
}

type Outcome = Response | { error: unknown };

async function attempt(fetch: Fetch, request: Request, timeoutMs: number): Promise<Outcome> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(new Error(`No response within ${timeoutMs} ms.`)), timeoutMs);
  try {
    return await fetch(new Request(request, { signal: AbortSignal.any([request.signal, late.signal]) }));
  } catch (error) {
    return { error };
  } finally {
    clearTimeout(timer);
  }
}

function mayRepeat(request: Request, outcome: Outcome): boolean {
  if (request.signal.aborted) return false;
  if (outcome instanceof Response && outcome.status === 429) return true;
  const failed = !(outcome instanceof Response) || PASSING.has(outcome.status);
  return failed && (REPEATABLE.has(request.method) || request.headers.has('idempotency-key'));
}

function answerOf(outcome: Outcome): Response {
  if (outcome instanceof Response) return outcome;
  throw outcome.error;
}

/** RFC 9110 §10.2.3: seconds or a date. */
function retryAfterMs({ headers }: Response): number | undefined {
  const value = headers.get('retry-after');
  if (value === null) return undefined;
  if (/^\d+$/.test(value)) return Number(value) * 1_000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now());
}

function waited(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const given = () => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', given);
      resolve();
    }, ms);
    signal.addEventListener('abort', given, { once: true });
  });
}
