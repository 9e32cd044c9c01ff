/** The part of the wanted requests that a window had left. */
export interface WindowGrant {
  granted: number;
  /** Of the limit, by all processes, with `granted`. */
  used: number;
  /** Identifies the window. */
  window: string;
  endsInMs: number;
}

/** Takes up to `wanted` of what `limit` leaves in the current window of `key`. Shared by all processes. */
export type TakeWindow = (key: string, wanted: number, limit: number) => Promise<WindowGrant>;

/** Whether one more request is within its limit. */
export interface Allowance {
  limit: number;
  /** In this window; what other processes took since this one last asked is not in it. */
  remaining: number;
  /** Of a request that is refused: when the next window begins. */
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
  asking?: Promise<void>;
}

interface RateLimiterOptions {
  take: TakeWindow;
  /** The store does not answer. The requests are admitted, because they need the same database. */
  onError: (error: unknown) => void;
  /** Milliseconds; another clock for tests. */
  now?: () => number;
}

const CACHED_LEASES = 10_000;
/** A process takes a hundredth of a limit at once: at most a hundred statements a minute for each key it serves. */
const SHARE = 100;
const WITHOUT_STORE_MS = 1_000;

/**
 * Counts requests against limits that processes share, without a statement for each request: a process leases a hundredth of the
 * limit at once and counts it down. A window never admits more than the limit; a request may be refused although the leases of
 * other processes are not used up, at most a hundredth of the limit each.
 */
export class RateLimiter {
  private readonly leases = new Map<string, Lease>();
  private readonly now: () => number;

  constructor(private readonly options: RateLimiterOptions) {
    this.now = options.now ?? (() => performance.now());
  }

  /** Takes one request from the lease of `key`; a promise only while the store has to be asked. */
  take(key: string, limit: number): Allowance | Promise<Allowance> {
    const lease = this.leaseOf(key, limit);
    return this.taken(key, lease) ?? this.wait(key, lease);
  }

  /** Whether the next request would be refused, as far as this process knows, without a query. */
  refuses(key: string): Allowance | undefined {
    const lease = this.leases.get(key);
    return lease && this.refused(lease);
  }

  private taken(key: string, lease: Lease): Allowance | undefined {
    if (lease.until <= this.now()) return undefined;
    if (lease.left === 0) return this.refused(lease);
    lease.left -= 1;
    const { limit, used, left } = lease;
    if (left < chunkOf(limit) / 4 && used < limit) void this.ask(key, lease);
    return { limit, remaining: limit - used + left };
  }

  private refused({ limit, left, used, until }: Lease): Allowance | undefined {
    const retryAfterMs = until - this.now();
    return left === 0 && used >= limit && retryAfterMs > 0 ? { limit, remaining: 0, retryAfterMs } : undefined;
  }

  /** Ends, because each answer of the store grants at least one request or refuses. */
  private async wait(key: string, lease: Lease): Promise<Allowance> {
    for (;;) {
      lease.waiting += 1;
      await this.ask(key, lease);
      lease.waiting -= 1;
      const taken = this.taken(key, lease);
      if (taken) return taken;
    }
  }

  private ask(key: string, lease: Lease): Promise<void> {
    lease.asking ??= this.refill(key, lease).finally(() => (lease.asking = undefined));
    return lease.asking;
  }

  private async refill(key: string, lease: Lease): Promise<void> {
    const { limit } = lease;
    // Before the question, so that the lease ends no later than the window.
    const asked = this.now();
    // Requests of the same event-loop turn wait for the same answer.
    await Promise.resolve();
    try {
      const taken = await this.options.take(key, Math.max(chunkOf(limit), lease.waiting), limit);
      const more = taken.window === lease.window ? lease.left : 0;
      Object.assign(lease, { ...taken, left: more + taken.granted, until: asked + taken.endsInMs });
    } catch (error) {
      this.options.onError(error);
      const left = Math.max(chunkOf(limit), lease.waiting);
      Object.assign(lease, { left, used: left, window: '', until: asked + WITHOUT_STORE_MS });
    }
  }

  private leaseOf(key: string, limit: number): Lease {
    const kept = this.leases.get(key);
    if (kept?.limit === limit) return kept;
    const lease: Lease = { limit, left: 0, used: 0, window: '', until: -Infinity, waiting: 0 };
    this.leases.delete(key);
    this.leases.set(key, lease);
    if (this.leases.size > CACHED_LEASES) this.evictOldest();
    return lease;
  }

  /** An evicted lease stays counted: errs on the side of refusing. */
  private evictOldest(): void {
    const [oldest] = this.leases.keys();
    if (oldest !== undefined) this.leases.delete(oldest);
  }
}

const chunkOf = (limit: number): number => Math.max(1, Math.floor(limit / SHARE));
