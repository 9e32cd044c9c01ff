/** How long a packet waits for the ones before it, in milliseconds. */
export const REORDER_MS = 60;

/** More than a sender of 10 ms packets can have under way in that time: a flood is not worth the search for its place. */
const MAX_HELD = 32;

interface Held<T> {
  sequence: number;
  item: T;
  arrivedAt: number;
}

/**
 * Hands items on in the order of their (extended) sequence numbers. An item whose predecessors are missing waits at most 60 ms for
 * them; with nothing missing nothing waits.
 */
export class ReorderWindow<T> {
  private next: number | undefined;
  /** Sorted by sequence number. */
  private held: Held<T>[] = [];

  constructor(private readonly release: (item: T) => void) {}

  /** Forgets the numbering (a new source, a restarted one); what waits is handed on first. */
  reset(): void {
    this.releaseUpTo(Infinity);
    this.next = undefined;
  }

  push(sequence: number, item: T, nowMs: number): void {
    if (this.next !== undefined && sequence < this.next) return; // its place has passed already
    if (this.next === undefined || sequence === this.next) {
      this.next = sequence + 1;
      this.release(item);
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
      if (nowMs - each.arrivedAt < REORDER_MS) continue;
      this.giveUpBefore(each.sequence);
      return;
    }
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
    this.next = first.sequence + 1;
    this.release(first.item);
  }
}
