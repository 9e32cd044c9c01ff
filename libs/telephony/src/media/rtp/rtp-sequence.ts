import { type RtpPacket, sequenceDistance } from './rtp-packet.js';

/** RFC 3550 §A.1: a larger jump forward is a restarted sender, not loss. */
const MAX_DROPOUT = 3_000;
const MAX_MISORDER = 100;
const SEEN = 128;
/** Numbers start 2^16 above zero: packets that arrive before the first one still have positive ones. */
const FIRST_CYCLE = 0x10000;

const TIMESTAMPS_PER_MS = 8;

/**
 * `first` starts (or restarts) the numbering; `new` advances it; `late` is behind the newest but was not seen before; `stray` is far
 * from all others and counts only when the next one confirms it.
 */
type Arrival = 'first' | 'new' | 'late' | 'duplicate' | 'stray';

/** Sequence numbers, loss and jitter of one synchronisation source (RFC 3550 §A.1, §A.3, §6.4.1). */
export class RtpSource {
  received = 0;
  reordered = 0;
  duplicates = 0;
  /** The extended sequence number of the last packet that arrived; it never wraps. */
  sequence = 0;
  private base = 0;
  private afterStray: number | undefined;
  private highest = 0;
  private lostBefore = 0;
  private receivedSinceBase = 0;
  private readonly seen = new Float64Array(SEEN).fill(-1);
  /** NaN before the first packet. */
  private transit = NaN;
  private jitter = 0;

  constructor(readonly ssrc: number) {}

  get lost(): number {
    return this.lostBefore + this.lostSinceBase();
  }

  /** Milliseconds. */
  get jitterMs(): number {
    return this.jitter / TIMESTAMPS_PER_MS;
  }

  /** For the reports of RTCP: cycles and sequence number of the newest packet, jitter in units of the timestamp (RFC 3550 §6.4.1). */
  get extendedHighest(): number {
    return (this.highest - FIRST_CYCLE) >>> 0;
  }

  get jitterUnits(): number {
    return Math.floor(this.jitter);
  }

  /** Counts the packet, and sets its extended sequence number. */
  arrive(packet: RtpPacket): Arrival {
    if (this.receivedSinceBase === 0) return this.restart(packet.sequence);
    const distance = sequenceDistance(this.highest & 0xffff, packet.sequence);
    const sequence = this.highest + distance;
    this.sequence = sequence;
    if (distance > MAX_DROPOUT || distance < -MAX_MISORDER) {
      if (packet.sequence === this.afterStray) return this.restart(packet.sequence);
      this.afterStray = (packet.sequence + 1) & 0xffff;
      return 'stray';
    }
    if (this.seen[sequence % SEEN] === sequence) {
      this.duplicates++;
      return 'duplicate';
    }
    this.count(sequence);
    if (distance > 0) this.highest = sequence;
    else this.reordered++;
    return distance > 0 ? 'new' : 'late';
  }

  /** Interarrival jitter; only for packets whose timestamp moves with the clock, which telephone events do not. */
  measureJitter(timestamp: number, nowMs: number): void {
    const transit = (nowMs * TIMESTAMPS_PER_MS - timestamp) % 2 ** 32;
    const difference = Math.abs(transit - this.transit);
    // A jump of more than a second is a new timeline (or the wrap of the timestamp), not jitter.
    if (difference < 8_000) this.jitter += (difference - this.jitter) / 16;
    this.transit = transit;
  }

  private restart(sequence: number): Arrival {
    this.lostBefore += this.lostSinceBase();
    this.base = this.highest = this.sequence = sequence + FIRST_CYCLE;
    this.receivedSinceBase = 0;
    this.seen.fill(-1);
    this.count(this.base);
    return 'first';
  }

  private count(sequence: number): void {
    this.seen[sequence % SEEN] = sequence;
    this.base = Math.min(this.base, sequence);
    this.received++;
    this.receivedSinceBase++;
  }

  private lostSinceBase(): number {
    if (this.receivedSinceBase === 0) return 0;
    return Math.max(0, this.highest - this.base + 1 - this.receivedSinceBase);
  }
}

/** How long a packet waits for earlier ones, in milliseconds: the initial value and its bounds. */
const FIRST_WAIT_MS = 60;
const MIN_WAIT_MS = 20;
const MAX_WAIT_MS = 120;
/** A late packet makes the wait longer by this much, a lost packet shorter. */
const LATE_STEP_MS = 20;
const LOST_STEP_MS = 1;

/** More than a sender of 10 ms packets sends in that time; a larger burst is a flood and is not sorted. */
const MAX_HELD = 32;

interface Held<T> {
  sequence: number;
  item: T;
  arrivedAt: number;
}

interface ReorderListener<T> {
  /** In order; `missing` packets directly before this one are given up. */
  release(item: T, missing: number): void;
  /** The item arrived too late. */
  late(item: T): void;
}

/**
 * Releases items in the order of their (extended) sequence numbers. Items wait only for missing predecessors, and the wait adapts to
 * the network: 60 ms at first, up to 120 ms when packets arrive out of order, down to 20 ms when missing packets are lost.
 */
export class ReorderWindow<T> {
  private next: number | undefined;
  /** Sorted by sequence number. */
  private held: Held<T>[] = [];
  private wait = FIRST_WAIT_MS;

  constructor(private readonly on: ReorderListener<T>) {}

  /** The current wait for a missing packet, in milliseconds. */
  get waitMs(): number {
    return this.wait;
  }

  /** Resets the numbering (new or restarted source); waiting items are released first. */
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

  /** Gives up missing packets whose successors have waited long enough. */
  expire(nowMs: number): void {
    for (const each of this.held) {
      if (nowMs - each.arrivedAt < this.wait) continue;
      this.wait = Math.max(MIN_WAIT_MS, this.wait - LOST_STEP_MS);
      this.giveUpBefore(each.sequence);
      return;
    }
  }

  private releaseLate(item: T): void {
    this.wait = Math.min(MAX_WAIT_MS, this.wait + LATE_STEP_MS);
    this.on.late(item);
  }

  /** A missing packet arrived in time, after its successor had waited this long. */
  private recordWait(waitedMs: number): void {
    this.wait = Math.min(MAX_WAIT_MS, Math.max(this.wait, waitedMs + LATE_STEP_MS));
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
