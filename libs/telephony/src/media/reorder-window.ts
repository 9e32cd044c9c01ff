/** How long a packet waits for the ones before it, in milliseconds: at first, and within which bounds afterwards. */
const FIRST_WAIT_MS = 60;
const LEAST_WAIT_MS = 20;
const LONGEST_WAIT_MS = 120;
/** A packet that came after its turn makes the wait longer by so much; one that never came makes it shorter. */
const LATE_STEP_MS = 20;
const LOST_STEP_MS = 1;

/** More than a sender of 10 ms packets can have under way in that time: a flood is not worth the search for its place. */
const MAX_HELD = 32;

interface Held<T> {
  sequence: number;
  item: T;
  arrivedAt: number;
}

interface ReorderListener<T> {
  /** In order; `missing` packets directly before this one are given up. */
  release(item: T, missing: number): void;
  /** Its place has passed already. */
  late(item: T): void;
}

/**
 * Hands items on in the order of their (extended) sequence numbers. With nothing missing nothing waits. An item whose predecessors are
 * missing waits for them, as long as the network has shown to be worth it: 60 ms at first, at most 120 ms where packets come out of
 * order, down to 20 ms where missing packets are lost.
 */
export class ReorderWindow<T> {
  private next: number | undefined;
  /** Sorted by sequence number. */
  private held: Held<T>[] = [];
  private wait = FIRST_WAIT_MS;

  constructor(private readonly on: ReorderListener<T>) {}

  /** Milliseconds that a packet waits now for a missing one. */
  get waitMs(): number {
    return this.wait;
  }

  /** Forgets the numbering (a new source, a restarted one); what waits is handed on first. */
  reset(): void {
    this.releaseUpTo(Infinity);
    this.next = undefined;
  }

  push(sequence: number, item: T, nowMs: number): void {
    if (this.next !== undefined && sequence < this.next) return this.releaseLate(item);
    if (this.next === undefined || sequence === this.next) {
      if (this.held[0]) this.recordWait(nowMs - this.held[0].arrivedAt);
      this.next = sequence + 1;
      this.on.release(item, 0);
      this.releaseConsecutive();
      return;
    }
    const after = this.held.findIndex((each) => each.sequence > sequence);
    this.held.splice(after < 0 ? this.held.length : after, 0, { sequence, item, arrivedAt: nowMs });
    if (this.held.length > MAX_HELD) this.giveUpBefore(this.held[0]!.sequence);
  }

  /** Gives up on packets that those behind them have waited for long enough. */
  expire(nowMs: number): void {
    for (const each of this.held) {
      if (nowMs - each.arrivedAt < this.wait) continue;
      this.wait = Math.max(LEAST_WAIT_MS, this.wait - LOST_STEP_MS);
      this.giveUpBefore(each.sequence);
      return;
    }
  }

  private releaseLate(item: T): void {
    this.wait = Math.min(LONGEST_WAIT_MS, this.wait + LATE_STEP_MS);
    this.on.late(item);
  }

  /** A missing packet came in time, for which another one had waited so long. */
  private recordWait(waitedMs: number): void {
    this.wait = Math.min(LONGEST_WAIT_MS, Math.max(this.wait, waitedMs + LATE_STEP_MS));
  }

  private giveUpBefore(sequence: number): void {
    this.releaseUpTo(sequence);
    this.releaseConsecutive();
  }

  private releaseConsecutive(): void {
    while (this.held[0]?.sequence === this.next) this.releaseFirst();
  }

  private releaseUpTo(sequence: number): void {
    while (this.held[0] && this.held[0].sequence <= sequence) this.releaseFirst();
  }

  private releaseFirst(): void {
    const first = this.held.shift() as Held<T>;
    const missing = first.sequence - (this.next ?? first.sequence);
    this.next = first.sequence + 1;
    this.on.release(first.item, missing);
  }
}
