import type { Clock } from '../clock.js';

const RETRY_MS = 5_000;

/** When to replace a connection that its provider will end soon. Without a pause until then it is lost like any other connection. */
export class Rotation {
  private isDue = false;
  private isTrying = false;
  private notBefore = -Infinity;

  constructor(private readonly clock: Clock) {}

  /** The connection expires soon. */
  expiring(): void {
    this.isDue = true;
  }

  /** The expiring connection is not in use any more. */
  settled(): void {
    this.isDue = false;
  }

  /** There is a pause. Returns whether to try it now; `tried` must follow. */
  begin(): boolean {
    if (!this.isDue || this.isTrying || this.clock.now() < this.notBefore) return false;
    this.isTrying = true;
    return true;
  }

  /** `postponed`: the pause was over too early. */
  tried(outcome: 'rotated' | 'postponed' | 'failed'): void {
    this.isTrying = false;
    if (outcome === 'rotated') this.settled();
    if (outcome === 'failed') this.notBefore = this.clock.now() + RETRY_MS;
  }
}
