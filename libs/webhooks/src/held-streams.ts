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

interface Route {
  host: string;
  /** Streams that are held, waiting or not. */
  held: number;
  waiting: HeldStream[];
  /** Posts under way. */
  posting: number;
}

/**
 * The streams a dispatcher holds: waiting for a free place, or at work. Routes take turns. Places are limited per host, so that a slow
 * one leaves room; an account that has none at a host gets one all the same, so that a host that is slow for one is not slow for all.
 */
export class HeldStreams {
  /** In the order of their turns. */
  private readonly routes = new Map<string, Route>();
  private readonly postingTo = new Map<string, number>();
  private waiting = 0;

  constructor(
    /** Posts under way to one host; as many again for accounts that have none under way there. */
    private readonly perHost: number,
    /** Streams of one account to one host that are held. */
    private readonly heldPerRoute: number,
  ) {}

  get waitingCount(): number {
    return this.waiting;
  }

  /** Whether so many streams could start now: those of a host that is busy up to its limit do not count. */
  canStart(count: number): boolean {
    let startable = 0;
    for (const route of this.routes.values()) {
      if (this.hasPlace(route)) startable += route.waiting.length;
      if (startable >= count) return true;
    }
    return false;
  }

  add(stream: HeldStream): void {
    this.routeFor(stream).held++;
    this.keep(stream);
  }

  /** How many more streams of the routes that some are held of may be claimed. */
  room(): Map<string, number> {
    return new Map([...this.routes].map(([name, { held }]) => [name, this.heldPerRoute - held]));
  }

  /** The next stream whose host has a free place, which it then has. */
  take(): HeldStream | undefined {
    for (const [name, route] of this.routes) {
      const stream = this.hasPlace(route) ? route.waiting.shift() : undefined;
      if (!stream) continue;
      this.routes.delete(name);
      this.routes.set(name, route);
      this.waiting--;
      this.post(route, 1);
      return stream;
    }
    return undefined;
  }

  /** The answer is here: the place is free. */
  posted(stream: HostOf): void {
    this.post(this.routeFor(stream), -1);
  }

  /** It has more to send: it waits for a place again. */
  keep(stream: HeldStream): void {
    this.routeFor(stream).waiting.push(stream);
    this.waiting++;
  }

  /** It is no longer ours. True: its route had no room, maybe, and now has so much that claiming for it pays. */
  drop(stream: HeldStream): boolean {
    const route = this.routeFor(stream);
    route.held--;
    if (route.held === 0) this.routes.delete(routeOf(stream));
    return route.held === this.heldPerRoute / 2;
  }

  takeAllWaiting(): HeldStream[] {
    this.waiting = 0;
    return [...this.routes.values()].flatMap(({ waiting }) => waiting.splice(0));
  }

  private routeFor(of: HostOf): Route {
    const name = routeOf(of);
    let route = this.routes.get(name);
    if (!route) this.routes.set(name, (route = { host: of.host, held: 0, waiting: [], posting: 0 }));
    return route;
  }

  private hasPlace({ host, posting }: Route): boolean {
    const all = this.postingTo.get(host) ?? 0;
    return posting === 0 ? all < 2 * this.perHost : all < this.perHost;
  }

  private post(route: Route, by: number): void {
    route.posting += by;
    const all = (this.postingTo.get(route.host) ?? 0) + by;
    if (all > 0) this.postingTo.set(route.host, all);
    else this.postingTo.delete(route.host);
  }
}
