/** What had a time to be done in was not. */
export class DeadlinePassed extends Error {
  override readonly name: string = 'DeadlinePassed';
}

export interface Deadline {
  /** Aborts with the outer signal's reason, or with `late` when the time is over. */
  signal: AbortSignal;
  /** Once the work has ended: takes back the timer and the listener. */
  clear(): void;
}

/** One signal over the caller's and a total time. (AbortSignal.any would leave a listener with a signal that lives long.) */
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

/** The outcome of work, or the signal's reason as soon as it aborts. The work continues; its later failure is ignored. */
export function orAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work;
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason as Error);
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
