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
 * first. The signal of `work` aborts with `signal` and at the time limit.
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
    // The abort above rejects it when the work was faster.
    late.catch(() => undefined);
  }
}

/** Detects that expected activity has stopped. */
export class Watchdog {
  private fedAt = 0;
  private cancel: (() => void) | undefined;

  constructor(
    private readonly clock: Clock,
    private readonly limitMs: number,
    private readonly onStandstill: () => void,
  ) {}

  /** Reports activity. */
  feed(): void {
    this.fedAt = this.clock.now();
    this.cancel ??= this.clock.after(this.limitMs, () => this.look());
  }

  stop(): void {
    this.cancel?.();
    this.cancel = undefined;
  }

  private look(): void {
    const leftMs = this.fedAt + this.limitMs - this.clock.now();
    if (leftMs > 0) {
      this.cancel = this.clock.after(leftMs, () => this.look());
      return;
    }
    this.cancel = undefined;
    this.onStandstill();
  }
}
