/** How often and how patiently a request is sent again. */
export interface RetryOptions {
  /** Tries beyond the first one; 4 when absent, 0: none. */
  retries?: number;
  /** Wait before the first of them in ms, doubled from try to try, each spread by half; 250 when absent. */
  firstWaitMs?: number;
  /** The longest wait, and the longest `Retry-After` that is waited for; 30 s when absent. */
  longestWaitMs?: number;
  /** For each try, from the request to the head of the answer; 30 s when absent. */
  timeoutMs?: number;
}

type Fetch = (request: Request) => Promise<Response>;

const PASSING = new Set([502, 503, 504]);
const REPEATABLE = new Set(['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS']);

/**
 * A fetch that sends a request again where that cannot do a thing twice: methods that RFC 9110 §9.2.2 calls idempotent and requests with an
 * `Idempotency-Key`, after a lost connection or 502, 503, 504; anything after 429, which was not carried out.
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
  const timer = setTimeout(() => late.abort(new Error(`No answer within ${timeoutMs} ms.`)), timeoutMs);
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

/** RFC 9110 §10.2.3: seconds, or a date. */
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
