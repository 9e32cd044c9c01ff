import { routeOf, type AccountHost, type LeasedStream } from '../domain/webhook-stream.js';
import type { ClaimRoom } from './webhook-streams.repository.js';

interface Route {
  host: string;
  /** Leased streams, waiting or not. */
  leased: number;
  waiting: LeasedStream[];
  /** Requests in flight. */
  inFlight: number;
}

interface AccountStreams {
  /** In the order of their turns. */
  routes: Map<string, Route>;
  leased: number;
  inFlight: number;
  /** `leased` when the account had no room left and claims began to leave its streams out. */
  leasedWhenFull?: number;
}

interface LeaseLimits {
  /** Requests in flight. */
  inFlight: number;
  /** Requests in flight to one host; as many again for accounts without a request in flight there. */
  perHost: number;
  /** Leased streams: their deliveries are in memory. */
  streams: number;
  /** Leased streams of one account to one host. */
  perRoute: number;
}

/**
 * The share of an account. A request that hangs keeps its slot, so some slots always stay free for accounts without one: with 3, an
 * account alone gets 12 of 16 slots, and 7 beside another account (a dynamic threshold, as switches share their buffers: Choudhury and
 * Hahne 1998).
 */
const SLOTS_PER_FREE_SLOT = 3;

/** Whether an account with `own` requests in flight may send another one while `free` slots are free. */
export const mayTakeSlot = (own: number, free: number): boolean => own < SLOTS_PER_FREE_SLOT * free;

/**
 * The streams that a dispatcher has leased: waiting for a slot, or sending. Accounts take turns, then the routes of an account, so that
 * many hosts do not give an account more turns. Slots are limited per account and per host; an account without a request to a busy host
 * still gets a slot there, so that a host that is slow for one account is not slow for all.
 * A scheduler, not a semaphore of libs/common: no caller waits in it. The dispatcher takes the next stream synchronously, and the share of
 * an account shrinks with the free slots.
 */
export class LeasedStreams {
  /** In the order of their turns. */
  private readonly accounts = new Map<number, AccountStreams>();
  private readonly inFlightTo = new Map<string, number>();
  private leased = 0;
  private inFlight = 0;

  constructor(private readonly limits: LeaseLimits) {}

  /** How many more streams can be leased. */
  get free(): number {
    return this.limits.streams - this.leased;
  }

  /** Whether so many streams could start now. Streams of an account or host at its limit do not count. */
  canStart(count: number): boolean {
    let startable = 0;
    for (const account of this.accounts.values()) {
      if (!this.hasSlot(account)) continue;
      for (const route of account.routes.values()) {
        if (this.hasSlotAtHost(route)) startable += route.waiting.length;
        if (startable >= count) return true;
      }
    }
    return false;
  }

  add(stream: LeasedStream): void {
    this.accountFor(stream).leased++;
    this.routeFor(stream).leased++;
    this.leased++;
    this.keep(stream);
  }

  /** An account may lease as many streams as are left for the others: several accounts with a backlog leave room for the next one. */
  room(): ClaimRoom {
    const { perRoute } = this.limits;
    const routes = new Map<string, number>();
    const accounts = new Map<number, number>();
    for (const [id, account] of this.accounts) {
      const room = this.free - account.leased;
      if (room <= 0) account.leasedWhenFull = account.leased;
      accounts.set(id, room);
      for (const [name, { leased }] of account.routes) routes.set(name, perRoute - leased);
    }
    return { routes, accounts, perOtherRoute: perRoute, perOtherAccount: this.free };
  }

  /** The next stream whose account and host have a free slot; the stream takes the slot. */
  take(): LeasedStream | undefined {
    for (const [id, account] of this.accounts) {
      const stream = this.hasSlot(account) ? this.takeOf(account) : undefined;
      if (!stream) continue;
      this.accounts.delete(id);
      this.accounts.set(id, account);
      this.count(stream, 1);
      return stream;
    }
    return undefined;
  }

  /** The request of the stream has ended: its slot is free. */
  sent(stream: LeasedStream): void {
    this.count(stream, -1);
  }

  /** The stream has more to send: it waits for a slot again. */
  keep(stream: LeasedStream): void {
    this.routeFor(stream).waiting.push(stream);
  }

  /** The lease is over. True: its route or account may have been full and now has enough room for another claim. */
  drop(stream: LeasedStream): boolean {
    const account = this.accountFor(stream);
    const route = this.routeFor(stream);
    this.leased--;
    account.leased--;
    route.leased--;
    if (route.leased === 0) account.routes.delete(routeOf(stream));
    if (account.leased === 0) this.accounts.delete(stream.account_id);
    const roomAgain = account.leasedWhenFull !== undefined && account.leased <= account.leasedWhenFull / 2;
    if (roomAgain) account.leasedWhenFull = undefined;
    return roomAgain || route.leased === this.limits.perRoute / 2;
  }

  takeAllWaiting(): LeasedStream[] {
    const routes = [...this.accounts.values()].flatMap((account) => [...account.routes.values()]);
    return routes.flatMap(({ waiting }) => waiting.splice(0));
  }

  private takeOf(account: AccountStreams): LeasedStream | undefined {
    for (const [name, route] of account.routes) {
      const stream = this.hasSlotAtHost(route) ? route.waiting.shift() : undefined;
      if (!stream) continue;
      account.routes.delete(name);
      account.routes.set(name, route);
      return stream;
    }
    return undefined;
  }

  private accountFor({ account_id: id }: AccountHost): AccountStreams {
    let account = this.accounts.get(id);
    if (!account) this.accounts.set(id, (account = { routes: new Map(), leased: 0, inFlight: 0 }));
    return account;
  }

  private routeFor(of: AccountHost): Route {
    const { routes } = this.accountFor(of);
    const name = routeOf(of);
    let route = routes.get(name);
    if (!route) routes.set(name, (route = { host: of.host, leased: 0, waiting: [], inFlight: 0 }));
    return route;
  }

  private hasSlot({ inFlight }: AccountStreams): boolean {
    return mayTakeSlot(inFlight, this.limits.inFlight - this.inFlight);
  }

  private hasSlotAtHost({ host, inFlight }: Route): boolean {
    const all = this.inFlightTo.get(host) ?? 0;
    return inFlight === 0 ? all < 2 * this.limits.perHost : all < this.limits.perHost;
  }

  private count(stream: LeasedStream, by: 1 | -1): void {
    this.inFlight += by;
    this.accountFor(stream).inFlight += by;
    this.routeFor(stream).inFlight += by;
    const all = (this.inFlightTo.get(stream.host) ?? 0) + by;
    if (all > 0) this.inFlightTo.set(stream.host, all);
    else this.inFlightTo.delete(stream.host);
  }
}
