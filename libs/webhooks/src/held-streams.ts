import type { HostOf } from './hosts.js';
import { routeOf, type ClaimedStream, type ClaimRoom, type OpenDelivery } from './streams.js';

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

interface AccountStreams {
  /** In the order of their turns. */
  routes: Map<string, Route>;
  held: number;
  posting: number;
  /** Held when it had no room left; then its streams were left out of claims. */
  heldWhenFull?: number;
}

export interface HeldLimits {
  /** Posts under way. */
  places: number;
  /** Posts under way to one host; as many again for accounts that have none under way there. */
  perHost: number;
  /** Streams that are held: their deliveries are in memory. */
  held: number;
  /** Streams of one account to one host that are held. */
  heldPerRoute: number;
}

/**
 * The most that an account takes of what is free. A post that hangs cannot be taken back, so some places always stay free for accounts
 * that have none: with 3, one account gets 12 of 16 places while it is alone, and 7 beside another one (a dynamic threshold, as
 * switches share their buffers: Choudhury and Hahne 1998).
 */
const PLACES_PER_FREE_PLACE = 3;

/** Whether an account with `own` posts under way may begin another one while `free` places are free. */
export const mayTakePlace = (own: number, free: number): boolean => own < PLACES_PER_FREE_PLACE * free;

/**
 * The streams a dispatcher holds: waiting for a free place, or at work. Accounts take turns, then the routes of an account, so that an
 * account gets no more turns by many hosts. Places are limited per account and per host; an account without a post to a busy host gets a
 * place there all the same, so that a host that is slow for one account is not slow for all.
 */
export class HeldStreams {
  /** In the order of their turns. */
  private readonly accounts = new Map<number, AccountStreams>();
  private readonly postingTo = new Map<string, number>();
  private held = 0;
  private posting = 0;

  constructor(private readonly limits: HeldLimits) {}

  /** How many more streams can be held. */
  get free(): number {
    return this.limits.held - this.held;
  }

  /** Whether so many streams could start now: those of an account or a host that is busy up to its limit do not count. */
  canStart(count: number): boolean {
    let startable = 0;
    for (const account of this.accounts.values()) {
      if (!this.hasPlace(account)) continue;
      for (const route of account.routes.values()) {
        if (this.hasPlaceAtHost(route)) startable += route.waiting.length;
        if (startable >= count) return true;
      }
    }
    return false;
  }

  add(stream: HeldStream): void {
    this.accountFor(stream).held++;
    this.routeFor(stream).held++;
    this.held++;
    this.keep(stream);
  }

  /** An account may hold as many streams as could be held beside it: several accounts with a backlog leave room for the next one. */
  room(): ClaimRoom {
    const { heldPerRoute } = this.limits;
    const routes = new Map<string, number>();
    const accounts = new Map<number, number>();
    for (const [id, account] of this.accounts) {
      const room = this.free - account.held;
      if (room <= 0) account.heldWhenFull = account.held;
      accounts.set(id, room);
      for (const [name, { held }] of account.routes) routes.set(name, heldPerRoute - held);
    }
    return { routes, accounts, perOtherRoute: heldPerRoute, perOtherAccount: this.free };
  }

  /** The next stream whose account and host have a free place, which it then has. */
  take(): HeldStream | undefined {
    for (const [id, account] of this.accounts) {
      const stream = this.hasPlace(account) ? this.takeOf(account) : undefined;
      if (!stream) continue;
      this.accounts.delete(id);
      this.accounts.set(id, account);
      this.post(stream, 1);
      return stream;
    }
    return undefined;
  }

  /** The answer is here: the place is free. */
  posted(stream: HeldStream): void {
    this.post(stream, -1);
  }

  /** It has more to send: it waits for a place again. */
  keep(stream: HeldStream): void {
    this.routeFor(stream).waiting.push(stream);
  }

  /** It is no longer ours. True: its route or account had no room, maybe, and now has so much that claiming for it pays. */
  drop(stream: HeldStream): boolean {
    const account = this.accountFor(stream);
    const route = this.routeFor(stream);
    this.held--;
    account.held--;
    route.held--;
    if (route.held === 0) account.routes.delete(routeOf(stream));
    if (account.held === 0) this.accounts.delete(stream.account_id);
    const roomAgain = account.heldWhenFull !== undefined && account.held <= account.heldWhenFull / 2;
    if (roomAgain) account.heldWhenFull = undefined;
    return roomAgain || route.held === this.limits.heldPerRoute / 2;
  }

  takeAllWaiting(): HeldStream[] {
    const routes = [...this.accounts.values()].flatMap((account) => [...account.routes.values()]);
    return routes.flatMap(({ waiting }) => waiting.splice(0));
  }

  private takeOf(account: AccountStreams): HeldStream | undefined {
    for (const [name, route] of account.routes) {
      const stream = this.hasPlaceAtHost(route) ? route.waiting.shift() : undefined;
      if (!stream) continue;
      account.routes.delete(name);
      account.routes.set(name, route);
      return stream;
    }
    return undefined;
  }

  private accountFor({ account_id: id }: HostOf): AccountStreams {
    let account = this.accounts.get(id);
    if (!account) this.accounts.set(id, (account = { routes: new Map(), held: 0, posting: 0 }));
    return account;
  }

  private routeFor(of: HostOf): Route {
    const { routes } = this.accountFor(of);
    const name = routeOf(of);
    let route = routes.get(name);
    if (!route) routes.set(name, (route = { host: of.host, held: 0, waiting: [], posting: 0 }));
    return route;
  }

  private hasPlace({ posting }: AccountStreams): boolean {
    return mayTakePlace(posting, this.limits.places - this.posting);
  }

  private hasPlaceAtHost({ host, posting }: Route): boolean {
    const all = this.postingTo.get(host) ?? 0;
    return posting === 0 ? all < 2 * this.limits.perHost : all < this.limits.perHost;
  }

  private post(stream: HeldStream, by: 1 | -1): void {
    this.posting += by;
    this.accountFor(stream).posting += by;
    this.routeFor(stream).posting += by;
    const all = (this.postingTo.get(stream.host) ?? 0) + by;
    if (all > 0) this.postingTo.set(stream.host, all);
    else this.postingTo.delete(stream.host);
  }
}
