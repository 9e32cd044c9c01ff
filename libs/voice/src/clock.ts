/** The time of a call session; tests replace it by a stepped clock. */
export interface Clock {
  /** Monotonic milliseconds from an arbitrary origin. */
  now(): number;
  /** Runs `run` once after `delayMs`. The returned function cancels it and may be called at any time. */
  after(delayMs: number, run: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => performance.now(),
  after(delayMs, run) {
    const timer = setTimeout(run, delayMs);
    return () => clearTimeout(timer);
  },
};

/** Resolves after `delayMs`; rejects with the signal's reason when that comes first. */
export function pause(clock: Clock, delayMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason as Error);
    const cancel = clock.after(delayMs, () => {
      signal.removeEventListener('abort', aborted);
      resolve();
    });
    const aborted = () => {
      cancel();
      reject(signal.reason as Error);
    };
    signal.addEventListener('abort', aborted, { once: true });
  });
}

/**
 * Runs `work` for at most `limitMs`, after which the result is that of `onLimit`. Rejects with the signal's reason when that comes
 * first. The signal that `work` gets aborts with the other one, and when the time is over.
 */
export async function withTimeLimit<T>(
  clock: Clock,
  limitMs: number,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
  onLimit: () => T,
): Promise<T> {
  const over = new AbortController();
  const either = AbortSignal.any([signal, over.signal]);
  const late = pause(clock, limitMs, either).then(onLimit);
  try {
    return await Promise.race([work(either), late]);
  } finally {
    over.abort();
    // Rejected by the abort above when the work was faster.
    late.catch(() => undefined);
  }
}
