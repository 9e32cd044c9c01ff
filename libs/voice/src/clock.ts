/** Time as a call session sees it; tests put a stepped one in its place. */
export interface Clock {
  /** Milliseconds that only ever grow; the origin means nothing. */
  now(): number;
  /** Runs `run` once after `delayMs`. The returned function takes that back and may be called at any time. */
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
