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
  private base = 0;
  private afterStray: number | undefined;
  private highest = 0;
  private lostBefore = 0;
  private receivedSinceBase = 0;
  private readonly seen = new Float64Array(SEEN).fill(-1);
  private transit: number | undefined;
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

  /** Counts the packet and gives its extended sequence number, which never wraps. */
  arrive(packet: RtpPacket): { arrival: Arrival; sequence: number } {
    if (this.receivedSinceBase === 0) return this.restart(packet.sequence);
    const distance = sequenceDistance(this.highest & 0xffff, packet.sequence);
    const sequence = this.highest + distance;
    if (distance > MAX_DROPOUT || distance < -MAX_MISORDER) {
      if (packet.sequence === this.afterStray) return this.restart(packet.sequence);
      this.afterStray = (packet.sequence + 1) & 0xffff;
      return { arrival: 'stray', sequence };
    }
    if (this.seen[sequence % SEEN] === sequence) {
      this.duplicates++;
      return { arrival: 'duplicate', sequence };
    }
    this.count(sequence);
    if (distance > 0) this.highest = sequence;
    else this.reordered++;
    return { arrival: distance > 0 ? 'new' : 'late', sequence };
  }

  /** Interarrival jitter; only for packets whose timestamp moves with the clock, which telephone events do not. */
  measureJitter(timestamp: number, nowMs: number): void {
    const transit = (nowMs * TIMESTAMPS_PER_MS - timestamp) % 2 ** 32;
    if (this.transit !== undefined) {
      const difference = Math.abs(transit - this.transit);
      // A jump of more than a second is a new timeline (or the wrap of the timestamp), not jitter.
      if (difference < 8_000) this.jitter += (difference - this.jitter) / 16;
    }
    this.transit = transit;
  }

  private restart(sequence: number): { arrival: Arrival; sequence: number } {
    this.lostBefore += this.lostSinceBase();
    this.base = this.highest = sequence + FIRST_CYCLE;
    this.receivedSinceBase = 0;
    this.seen.fill(-1);
    this.count(this.base);
    return { arrival: 'first', sequence: this.base };
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
