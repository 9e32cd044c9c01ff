import { LRUCache } from 'lru-cache';

/** Within this distance of its limit, a queue is counted for each request, one request at a time. */
const MARGIN = 10_000;
/** No account adds more calls per second; an estimate is valid while other processes cannot have filled the queue. */
const ADDED_PER_MS = MARGIN / 1_000;
const ESTIMATE_MS = { least: 1_000, most: 10_000 };
const KEPT_ACCOUNTS = 10_000;

/** The calls of an account that no dialer has claimed yet, counted up to the limit, and the limit. */
export interface QueueLength {
  waiting: number;
  limit: number;
}

/**
 * The queue length of each account at the last count of this process. A queue far from its limit is estimated for a while, so that the
 * creation of calls needs no count; near its limit the queue is counted.
 */
export class QueueLengths {
  private readonly counted = new LRUCache<number, { waiting: number; until: number }>({ max: KEPT_ACCOUNTS });
  private readonly counting = new Map<number, Promise<void>>();

  constructor(private readonly now: () => number = () => performance.now()) {}

  /** Resolves when there is an estimate. Concurrent requests share one count, because counting a long queue takes a while. */
  async refresh(accountId: number, count: () => Promise<QueueLength>): Promise<void> {
    if (this.now() < (this.counted.get(accountId)?.until ?? -Infinity)) return;
    let counting = this.counting.get(accountId);
    if (!counting) {
      counting = count()
        .then((length) => this.set(accountId, length))
        .finally(() => this.counting.delete(accountId));
      this.counting.set(accountId, counting);
    }
    await counting;
  }

  set(accountId: number, { waiting, limit }: QueueLength): void {
    this.counted.set(accountId, { waiting, until: this.now() + estimateMs(limit - waiting) });
  }

  /** Reserves `count` places far from the limit. False: the queue must be counted. */
  takePlaces(accountId: number, count: number, limit: number): boolean {
    const length = this.counted.get(accountId);
    if (!length || length.waiting + count > limit - MARGIN) return false;
    length.waiting += count;
    return true;
  }
}

const estimateMs = (room: number): number =>
  Math.min(Math.max(room / ADDED_PER_MS, ESTIMATE_MS.least), ESTIMATE_MS.most);
