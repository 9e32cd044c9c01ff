/** A time limit was exceeded. */
export class DeadlinePassed extends Error {
  override readonly name: string = 'DeadlinePassed';
}

export interface Deadline {
  /** Aborts with the reason of the outer signal, or with the error of `late` when the time is over. */
  signal: AbortSignal;
  /** Removes the timer and the listener; call it when the work has ended. */
  clear(): void;
}

/** Combines the caller's signal with a time limit. (AbortSignal.any would leave a listener on a long-lived signal.) */
export function startDeadline(ms: number, outer: AbortSignal | undefined, late: () => Error): Deadline {
  const controller = new AbortController();
  const onAbort = () => controller.abort(outer?.reason);
  const timer = setTimeout(() => controller.abort(late()), ms);
  outer?.addEventListener('abort', onAbort, { once: true });
  if (outer?.aborted) onAbort();
  const clear = () => {
    clearTimeout(timer);
    outer?.removeEventListener('abort', onAbort);
  };
  return { signal: controller.signal, clear };
}

/** Settles like `work`, or rejects with the reason of the signal as soon as it aborts. The work continues; its later failure is ignored. */
export function orAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work;
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason as Error);
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
