import { FRAME_MS } from './media-port.js';

interface Waiter {
  settleMs: number;
  leftMs: number;
  resolve: () => void;
  reject: (reason: Error) => void;
}

/** Those who wait until the queue is empty and some silence has been sent after it. */
export class DrainWaiters {
  private waiters: Waiter[] = [];

  wait(settleMs: number): Promise<void> {
    return new Promise((resolve, reject) => this.waiters.push({ settleMs, leftMs: settleMs, resolve, reject }));
  }

  /** Audio went out: every settling time starts again; those without one are done when the queue is empty. */
  audioSent(queueIsEmpty: boolean): void {
    for (const waiter of this.waiters) waiter.leftMs = waiter.settleMs;
    if (queueIsEmpty) this.settle(0);
  }

  silenceSent(): void {
    this.settle(FRAME_MS);
  }

  /** `reason` is asked for once per waiter: an error nobody gets would cost its stack trace at the end of every call. */
  fail(reason: () => Error): void {
    for (const waiter of this.waiters.splice(0)) waiter.reject(reason());
  }

  private settle(ms: number): void {
    if (this.waiters.length === 0) return;
    for (const waiter of this.waiters) waiter.leftMs -= ms;
    const done = this.waiters.filter((waiter) => waiter.leftMs <= 0);
    this.waiters = this.waiters.filter((waiter) => waiter.leftMs > 0);
    for (const waiter of done) waiter.resolve();
  }
}
