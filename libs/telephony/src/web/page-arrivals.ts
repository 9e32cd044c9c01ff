import { FRAME_MS } from '../media/session/media-port.js';

/** After a longer time without a frame, a burst follows. */
const STALL_MS = 100;
/** A burst is over when its next frame takes this long. */
export const SETTLE_MS = 10;
/** What is kept of a burst: 200 ms. The rest is older than anybody wants to hear. */
const KEPT_FRAMES = 10;
/** A page may send twice as fast as real time; a burst after a stall may have five seconds. */
const MAX_RATE = 2 / FRAME_MS;
const MAX_BURST = 250;

/** `steps`: 20 ms since the frame before this one; 1: directly after it. */
type Deliver = (frame: Buffer, steps: number) => void;

/**
 * The frames of a page on the clock of their arrival. A frame passes at once; after a stall of the network the burst that follows is held
 * until it ends, and only its last 200 ms pass, so that no delay remains. A page whose clock is not ours sends a few frames more or less
 * per hour, which pass as well.
 */
export class PageArrivals {
  /** NaN before the first frame. */
  private arrivedAt = NaN;
  /** When the last delivered frame belongs to. */
  private deliveredAt = NaN;
  private held: Buffer[] = [];
  private budget = MAX_BURST;

  /** `dropped` is called for each frame that came too late. */
  constructor(
    private readonly deliver: Deliver,
    private readonly dropped: () => void,
  ) {}

  /** A burst is held, until `settle` SETTLE_MS after its last frame. */
  get isHolding(): boolean {
    return this.held.length > 0;
  }

  /** False: the page sends more than twice as fast as real time. */
  receive(frame: Buffer, nowMs: number): boolean {
    const sinceMs = nowMs - this.arrivedAt;
    this.arrivedAt = nowMs;
    if (Number.isNaN(sinceMs)) {
      this.pass(frame, 1, nowMs);
      return true;
    }
    this.budget = Math.min(MAX_BURST, this.budget + sinceMs * MAX_RATE) - 1;
    if (this.budget < 0) return false;
    if (this.isHolding && sinceMs >= SETTLE_MS) this.release(nowMs - sinceMs);
    if (this.isHolding || sinceMs > STALL_MS) this.hold(frame);
    else this.pass(frame, 1, nowMs);
    return true;
  }

  /** Releases a burst that has ended. */
  settle(nowMs: number): void {
    if (this.isHolding && nowMs - this.arrivedAt >= SETTLE_MS) this.release(this.arrivedAt);
  }

  private hold(frame: Buffer): void {
    this.held.push(frame);
    if (this.held.length <= KEPT_FRAMES) return;
    this.held.shift();
    this.dropped();
  }

  /** The last frame of the burst belongs to its arrival, the others to the time before. */
  private release(lastAtMs: number): void {
    const frames = this.held;
    this.held = [];
    const steps = Math.round((lastAtMs - this.deliveredAt) / FRAME_MS) - (frames.length - 1);
    this.pass(frames[0]!, Math.max(1, steps), lastAtMs);
    for (let i = 1; i < frames.length; i++) this.pass(frames[i]!, 1, lastAtMs);
  }

  private pass(frame: Buffer, steps: number, atMs: number): void {
    this.deliveredAt = atMs;
    this.deliver(frame, steps);
  }
}
