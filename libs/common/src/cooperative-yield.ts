import { setImmediate } from 'node:timers/promises';

/** Lets the event loop turn during long work: check `due` often, and await `pause()` when it is. */
export class CooperativeYield {
  private began = performance.now();

  /** @param ms of work between two pauses. */
  constructor(private readonly ms = 2) {}

  get due(): boolean {
    return performance.now() - this.began > this.ms;
  }

  async pause(): Promise<void> {
    await setImmediate();
    this.began = performance.now();
  }
}
