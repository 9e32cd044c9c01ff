import { setMaxListeners } from 'node:events';

/** The units of work that a service does at present, so that it can end them when the process stops. */
export class UnitsAtWork {
  private readonly stopping = new AbortController();
  private readonly running = new Set<Promise<unknown>>();

  constructor() {
    // One listener per unit.
    setMaxListeners(0, this.stopping.signal);
  }

  /** Aborted by `stop`. */
  get signal(): AbortSignal {
    return this.stopping.signal;
  }

  get isStopping(): boolean {
    return this.stopping.signal.aborted;
  }

  /** Claims and does one unit; none is begun any more when the process stops. @returns what `work` returns, or false */
  async do(work: () => Promise<boolean>): Promise<boolean> {
    if (this.isStopping) return false;
    const running = work();
    this.running.add(running);
    try {
      return await running;
    } finally {
      this.running.delete(running);
    }
  }

  /** Resolves when all units have ended. */
  async stop(): Promise<void> {
    this.stopping.abort(new Error('The process is stopping.'));
    await Promise.allSettled(this.running);
  }
}
