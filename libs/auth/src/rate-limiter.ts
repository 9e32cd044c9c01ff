import { LRUCache } from 'lru-cache';

/** The part of the wanted requests that a window had left. */
export interface WindowGrant {
  granted: number;
  /** Requests of all processes in the window, `granted` included. */
  used: number;
  /** Identifies the window. */
  window: string;
  endsInMs: number;
}

/** Takes up to `wanted` requests from the current window of `key`, which all processes share. */
export type TakeWindow = (key: string, wanted: number, limit: number) => Promise<WindowGrant>;

/** The state of a limit for one request. */
export interface Allowance {
  limit: number;
  /** In this window, without what other processes took since the last query of this process. */
  remaining: number;
  /** Only of a refused request: the time until the next window. */
  retryAfterMs?: number;
}

interface Lease {
  limit: number;
  left: number;
  used: number;
  window: string;
  until: number;
  /** Requests that wait for the store. */
  waiting: number;
  refilling?: Promise<void>;
}

interface RateLimiterOptions {
  take: TakeWindow;
  /** The store failed. The requests are admitted, because they need the same database. */
  onError: (error: unknown) => void;
  /** Milliseconds; another clock for tests. */
  now?: () => number;
}

const CACHED_LEASES = 10_000;
/** A process leases a hundredth of a limit at once: at most a hundred statements a minute for each key. */
const SHARE = 100;
const WITHOUT_STORE_MS = 1_000;

/**
 * Counts requests against limits that processes share, without a statement per request: a process leases a hundredth of the limit at
 * once and counts it down. A window never admits more than the limit; a request may be refused although other processes have unused
 * leases of at most a hundredth of the limit each.
 */
export class RateLimiter {
  /** The requests of an evicted lease stay counted, so that an eviction never admits more than the limit. */
  private readonly leases = new LRUCache<string, Lease>({ max: CACHED_LEASES });
  private readonly now: () => number;

  constructor(private readonly options: RateLimiterOptions) {
    this.now = options.now ?? (() => performance.now());
  }

  /** Takes one request from the lease of `key`; a promise only when the store is queried. */
  take(key: string, limit: number): Allowance | Promise<Allowance> {
    const lease = this.leaseOf(key, limit);
    return this.taken(key, lease) ?? this.wait(key, lease);
  }

  /** The refusal of the next request as far as this process knows, without a query; undefined: it is not refused. */
  refuses(key: string): Allowance | undefined {
    const lease = this.leases.get(key);
    return lease && this.refused(lease);
  }

  private taken(key: string, lease: Lease): Allowance | undefined {
    if (lease.until <= this.now()) return undefined;
    if (lease.left === 0) return this.refused(lease);
    lease.left -= 1;
    const { limit, used, left } = lease;
    if (left < chunkOf(limit) / 4 && used < limit) void this.refill(key, lease);
    return { limit, remaining: limit - used + left };
  }

  private refused({ limit, left, used, until }: Lease): Allowance | undefined {
    const retryAfterMs = until - this.now();
    return left === 0 && used >= limit && retryAfterMs > 0 ? { limit, remaining: 0, retryAfterMs } : undefined;
  }

  /** The loop ends, because each refill grants at least one request or refuses. */
  private async wait(key: string, lease: Lease): Promise<Allowance> {
    for (;;) {
      lease.waiting += 1;
      await this.refill(key, lease);
      lease.waiting -= 1;
      const taken = this.taken(key, lease);
      if (taken) return taken;
    }
  }

  private refill(key: string, lease: Lease): Promise<void> {
    lease.refilling ??= this.renew(key, lease).finally(() => (lease.refilling = undefined));
    return lease.refilling;
  }

  private async renew(key: string, lease: Lease): Promise<void> {
    const { limit } = lease;
    // Before the query, so that the lease ends no later than the window.
    const startedAt = this.now();
    // Requests of the same event-loop turn share one query.
    await Promise.resolve();
    try {
      const taken = await this.options.take(key, Math.max(chunkOf(limit), lease.waiting), limit);
      const more = taken.window === lease.window ? lease.left : 0;
      Object.assign(lease, { ...taken, left: more + taken.granted, until: startedAt + taken.endsInMs });
    } catch (error) {
      this.options.onError(error);
      const left = Math.max(chunkOf(limit), lease.waiting);
      Object.assign(lease, { left, used: left, window: '', until: startedAt + WITHOUT_STORE_MS });
    }
  }

  private leaseOf(key: string, limit: number): Lease {
    const kept = this.leases.get(key);
    if (kept?.limit === limit) return kept;
    const lease: Lease = { limit, left: 0, used: 0, window: '', until: -Infinity, waiting: 0 };
    this.leases.set(key, lease);
    return lease;
  }
}

const chunkOf = (limit: number): number => Math.max(1, Math.floor(limit / SHARE));
