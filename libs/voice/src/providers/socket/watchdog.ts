import type { Clock } from '../../clock.js';

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
