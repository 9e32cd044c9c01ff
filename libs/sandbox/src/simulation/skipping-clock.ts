import type { Clock } from '@app/voice';

interface Timer {
  at: number;
  run: () => void;
}

/** Runs in real time, and skips time in which nothing happens: ten seconds of silence take none. */
export class SkippingClock implements Clock {
  private skippedMs = 0;
  private readonly timers = new Set<Timer>();
  private wakeUp: NodeJS.Timeout | undefined;
  private wakeAt = Infinity;

  now(): number {
    return performance.now() + this.skippedMs;
  }

  after(delayMs: number, run: () => void): () => void {
    const timer = { at: this.now() + delayMs, run };
    this.timers.add(timer);
    this.schedule(timer.at);
    return () => void this.timers.delete(timer);
  }

  /** Skips to the next timer that is due by `limit`, and runs it. False: there is none, and the clock is at `limit`. */
  skip(limit: number): boolean {
    const next = Math.min(...[...this.timers].map(({ at }) => at));
    this.skippedMs += Math.max(0, Math.min(next, limit) - this.now());
    if (next > limit) return false;
    this.runDue(next);
    return true;
  }

  /** No timer runs any more. */
  close(): void {
    this.timers.clear();
    clearTimeout(this.wakeUp);
  }

  private runDue(now: number): void {
    for (const timer of [...this.timers].filter(({ at }) => at <= now).toSorted((a, b) => a.at - b.at)) {
      if (this.timers.delete(timer)) timer.run();
    }
  }

  /** One timer of the process serves all; most timers are cancelled before it fires. */
  private schedule(at: number): void {
    if (at >= this.wakeAt) return;
    clearTimeout(this.wakeUp);
    this.wakeAt = at;
    this.wakeUp = setTimeout(() => this.wake(), Math.max(0, at - this.now()));
  }

  private wake(): void {
    this.wakeAt = Infinity;
    this.runDue(this.now());
    for (const { at } of this.timers) this.schedule(at);
  }
}
