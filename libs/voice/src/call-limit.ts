import type { Clock } from './clock.js';

const DEFAULT_MAX_CALL_SECONDS = 600;
const WARNING_MS = 30_000;

/** The longest duration of a call, with a warning before it; returns how to call both off. */
export function limitCall(
  clock: Clock,
  maxCallSeconds: number | undefined,
  listener: { warn(remainingMs: number): void; end(): void },
): () => void {
  const longestMs = (maxCallSeconds ?? DEFAULT_MAX_CALL_SECONDS) * 1000;
  const cancelEnd = clock.after(longestMs, () => listener.end());
  if (longestMs <= WARNING_MS) return cancelEnd;
  const cancelWarning = clock.after(longestMs - WARNING_MS, () => listener.warn(WARNING_MS));
  return () => {
    cancelEnd();
    cancelWarning();
  };
}
