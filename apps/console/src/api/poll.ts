import { ApiError, isAbort } from './client.js';

const MAX_WAIT_MS = 30_000;

interface Polling {
  signal: AbortSignal;
  /** Pause after a successful round; undefined: stop. */
  every: () => number | undefined;
  work: () => Promise<void>;
  /** Receives an error; undefined after recovery. */
  onTrouble: (error: unknown) => void;
}

/** Polls while the page is visible, with growing pauses while the service does not respond. Ends with `signal`. */
export async function poll({ signal, every, work, onTrouble }: Polling): Promise<void> {
  let failures = 0;
  while (!signal.aborted) {
    let wait = 0;
    try {
      await work();
      if (failures > 0) onTrouble(undefined);
      failures = 0;
      const next = every();
      if (next === undefined) return;
      wait = next;
    } catch (error) {
      if (signal.aborted || isAbort(error)) return;
      failures += 1;
      onTrouble(error);
      if (error instanceof ApiError && error.status >= 400 && error.status < 500 && error.status !== 429) return;
      wait = waitAfter(error, failures);
    }
    await pause(wait, signal);
    await untilSeen(signal);
  }
}

const waitAfter = (error: unknown, failures: number): number =>
  (error instanceof ApiError ? error.retryAfterMs : undefined) ?? Math.min(1_000 * 2 ** failures, MAX_WAIT_MS);

/** Resolves after `ms`, or when `signal` aborts. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done, { once: true });
    function done(): void {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    }
  });
}

function untilSeen(signal: AbortSignal): Promise<void> {
  if (!document.hidden) return Promise.resolve();
  return new Promise((resolve) => {
    const seen = (): void => {
      if (document.hidden && !signal.aborted) return;
      document.removeEventListener('visibilitychange', seen);
      resolve();
    };
    document.addEventListener('visibilitychange', seen);
    signal.addEventListener('abort', seen, { once: true });
  });
}
