import { orAborted, startDeadline } from '@app/common';

/** Resolves after `ms`, or as soon as `signal` aborts. */
export function delay(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    if (signal?.aborted) done();
    else signal?.addEventListener('abort', done);
  });
}

/** The result of `work`, or a rejection with `timeout()` after `ms`; `work` itself continues. */
export async function withTimeout<T>(work: Promise<T>, ms: number, timeout: () => Error): Promise<T> {
  const deadline = startDeadline(ms, undefined, timeout);
  try {
    return await orAborted(work, deadline.signal);
  } finally {
    deadline.clear();
  }
}

/** Runs jobs one after the other, in the order of their calls. A failed job does not stop the next one. */
export class SerialQueue {
  private last: Promise<unknown> = Promise.resolve();

  run<T>(job: () => Promise<T>): Promise<T> {
    const result = this.last.then(job);
    this.last = result.catch(() => undefined);
    return result;
  }
}
