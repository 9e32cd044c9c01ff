import type { Clock } from '../../clock.js';

/** A silent line sounds dead after three seconds; the phrase itself takes a moment to begin. */
const FIRST_MS = 2_400;
/** After the first phrase, which takes about a second. */
const NEXT_MS = 3_500;
const MOST = 3;

/** Notices that the user waits too long for the agent. */
export class ComfortTimer {
  private cancel: (() => void) | undefined;

  constructor(
    private readonly clock: Clock,
    private readonly onDelay: () => void,
  ) {}

  /** The user waits since this time of the clock. Does nothing while it is known. */
  expect(since: number): void {
    if (this.cancel) return;
    const now = this.clock.now();
    this.wait(Math.max(0, Math.max(since, now - FIRST_MS) + FIRST_MS - now), MOST);
  }

  stop(): void {
    this.cancel?.();
    this.cancel = undefined;
  }

  private wait(ms: number, left: number): void {
    this.cancel = this.clock.after(ms, () => {
      if (left > 1) this.wait(NEXT_MS, left - 1);
      this.onDelay();
    });
  }
}
