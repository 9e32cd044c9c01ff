import type { ClaimedStream, OpenDelivery } from './streams.js';

/** A stream under our lease. Times are of performance.now(). */
export interface HeldStream extends ClaimedStream {
  lease: string;
  /** Before the statement that took or renewed the lease was sent, so never later than the database thinks. */
  leasedAt: number;
  /** When `open` was read. */
  readAt: number;
  open: OpenDelivery[];
}

/** The streams a dispatcher holds: waiting for a free place, or at work. Places are limited per host, so that a slow one leaves room. */
export class HeldStreams {
  private readonly waiting: HeldStream[] = [];
  private readonly heldOf = new Map<string, number>();
  private readonly postingTo = new Map<string, number>();

  constructor(
    /** Posts under way to one host. */
    private readonly perHost: number,
    /** Streams of one host that are held. */
    private readonly heldPerHost: number,
  ) {}

  /** Streams that could start now: those of a host that is busy up to its limit do not count. */
  get startable(): number {
    return this.waiting.filter((stream) => this.hasPlace(stream)).length;
  }

  get waitingCount(): number {
    return this.waiting.length;
  }

  add(stream: HeldStream): void {
    this.waiting.push(stream);
    count(this.heldOf, stream.host, 1);
  }

  /** How many more streams of the hosts that some are held of may be claimed. */
  room(): Map<string, number> {
    return new Map([...this.heldOf].map(([host, held]) => [host, this.heldPerHost - held]));
  }

  /** The next stream whose host has a free place, which it then has. */
  take(): HeldStream | undefined {
    const index = this.waiting.findIndex((stream) => this.hasPlace(stream));
    if (index < 0) return undefined;
    const [stream] = this.waiting.splice(index, 1);
    if (stream) count(this.postingTo, stream.host, 1);
    return stream;
  }

  /** The answer is here: the place is free. */
  posted(host: string): void {
    count(this.postingTo, host, -1);
  }

  /** It has more to send: it waits for a place again. */
  keep(stream: HeldStream): void {
    this.waiting.push(stream);
  }

  /** It is no longer ours. True: the host had no room, maybe, and now has so much that claiming for it pays. */
  drop(stream: HeldStream): boolean {
    count(this.heldOf, stream.host, -1);
    return this.heldOf.get(stream.host) === this.heldPerHost / 2;
  }

  takeAllWaiting(): HeldStream[] {
    return this.waiting.splice(0);
  }

  private hasPlace({ host }: HeldStream): boolean {
    return (this.postingTo.get(host) ?? 0) < this.perHost;
  }
}

function count(counts: Map<string, number>, host: string, by: number): void {
  const next = (counts.get(host) ?? 0) + by;
  if (next > 0) counts.set(host, next);
  else counts.delete(host);
}
