import { setImmediate } from 'node:timers/promises';

/** Cuts long work into pieces between which the event loop turns: ask `over` often, and await `next` when it is. */
export class Slices {
  private began = performance.now();

  constructor(private readonly ms = 2) {}

  get over(): boolean {
    return performance.now() - this.began > this.ms;
  }

  async next(): Promise<void> {
    await setImmediate();
    this.began = performance.now();
  }
}
