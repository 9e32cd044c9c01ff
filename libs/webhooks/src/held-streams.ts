import type { HostOf } from './hosts.js';
import { routeOf, type ClaimedStream, type OpenDelivery } from './streams.js';

/** A stream under our lease. Times are of performance.now(). */
export interface HeldStream extends ClaimedStream {
  lease: string;
  /** Before the statement that took or renewed the lease was sent, so never later than the database thinks. */
  leasedAt: number;
  /** When `open` was read. */
  readAt: number;
  open: OpenDelivery[];
  /** It is the one that tries whether its host is well again. */
  probe: boolean;
}

/**
 * The streams a dispatcher holds: waiting for a free place, or at work. Places are limited per host, so that a slow one leaves room;
 * an account that has none at a host gets one all the same, so that a host that is slow for one is not slow for all.
 */
export class HeldStreams {
  private readonly waiting: HeldStream[] = [];
  private readonly heldOf = new Map<string, number>();
  private readonly postingTo = new Map<string, number>();

  constructor(
    /** Posts under way to one host; as many again for accounts that have none under way there. */
    private readonly perHost: number,
    /** Streams of one account to one host that are held. */
    private readonly heldPerRoute: number,
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
    count(this.heldOf, routeOf(stream), 1);
  }

  /** How many more streams of the routes that some are held of may be claimed. */
  room(): Map<string, number> {
    return new Map([...this.heldOf].map(([route, held]) => [route, this.heldPerRoute - held]));
  }

  /** The next stream whose host has a free place, which it then has. */
  take(): HeldStream | undefined {
    const index = this.waiting.findIndex((stream) => this.hasPlace(stream));
    if (index < 0) return undefined;
    const [stream] = this.waiting.splice(index, 1);
    if (stream) this.count(stream, 1);
    return stream;
  }

  /** The answer is here: the place is free. */
  posted(stream: HostOf): void {
    this.count(stream, -1);
  }

  /** It has more to send: it waits for a place again. */
  keep(stream: HeldStream): void {
    this.waiting.push(stream);
  }

  /** It is no longer ours. True: its route had no room, maybe, and now has so much that claiming for it pays. */
  drop(stream: HeldStream): boolean {
    const route = routeOf(stream);
    count(this.heldOf, route, -1);
    return this.heldOf.get(route) === this.heldPerRoute / 2;
  }

  takeAllWaiting(): HeldStream[] {
    return this.waiting.splice(0);
  }

  private hasPlace(stream: HostOf): boolean {
    const own = this.postingTo.get(routeOf(stream)) ?? 0;
    const all = this.postingTo.get(stream.host) ?? 0;
    return own === 0 ? all < 2 * this.perHost : all < this.perHost;
  }

  /** A route has an `@`, a host has none. */
  private count(stream: HostOf, by: number): void {
    count(this.postingTo, stream.host, by);
    count(this.postingTo, routeOf(stream), by);
  }
}

function count(counts: Map<string, number>, key: string, by: number): void {
  const next = (counts.get(key) ?? 0) + by;
  if (next > 0) counts.set(key, next);
  else counts.delete(key);
}
