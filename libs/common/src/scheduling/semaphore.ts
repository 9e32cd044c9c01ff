/** Returns a permit. Calling it again has no effect. */
export type Release = () => void;

interface Waiter<K> {
  key: K;
  enter: () => void;
}

/**
 * The queue behind the semaphores of this file: `next` picks the waiter that enters after a release. A returned permit is offered
 * before the caller of the release continues, so a newcomer cannot overtake a waiter.
 */
abstract class PermitQueue<K> {
  protected readonly waiting: Waiter<K>[] = [];

  protected abstract mayEnter(key: K): boolean;
  protected abstract enter(key: K): void;
  protected abstract leave(key: K): void;
  protected abstract next(key: K): Waiter<K> | undefined;

  protected async take(key: K, signal: AbortSignal | undefined): Promise<Release> {
    signal?.throwIfAborted();
    const release = this.tryTake(key);
    if (release) return release;
    await this.wait(key, signal);
    return this.releaseOf(key);
  }

  protected tryTake(key: K): Release | undefined {
    if (!this.mayEnter(key)) return undefined;
    this.enter(key);
    return this.releaseOf(key);
  }

  private wait(key: K, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const giveUp = (): void => {
        this.waiting.splice(this.waiting.indexOf(waiter), 1);
        reject(signal?.reason as Error);
      };
      const enter = (): void => {
        signal?.removeEventListener('abort', giveUp);
        resolve();
      };
      const waiter = { key, enter };
      signal?.addEventListener('abort', giveUp, { once: true });
      this.waiting.push(waiter);
    });
  }

  private releaseOf(key: K): Release {
    let released = false;
    return () => {
      if (released) return;
      released = true;
      this.leave(key);
      const next = this.next(key);
      if (!next) return;
      this.waiting.splice(this.waiting.indexOf(next), 1);
      this.enter(next.key);
      next.enter();
    };
  }
}

/** Up to `permits` holders at a time; the others wait in order of arrival. */
export class Semaphore extends PermitQueue<undefined> {
  constructor(private permits: number) {
    super();
  }

  /** Waits for a permit. Throws the signal's reason; the place in the queue is then given up. */
  acquire(signal?: AbortSignal): Promise<Release> {
    return this.take(undefined, signal);
  }

  /** Takes a free permit without waiting; undefined: there is none. */
  tryAcquire(): Release | undefined {
    return this.tryTake(undefined);
  }

  /** Runs `work` with a permit. */
  async run<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const release = await this.acquire(signal);
    try {
      return await work();
    } finally {
      release();
    }
  }

  protected mayEnter(): boolean {
    return this.permits > 0;
  }

  protected enter(): void {
    this.permits--;
  }

  protected leave(): void {
    this.permits++;
  }

  protected next(): Waiter<undefined> | undefined {
    return this.waiting[0];
  }
}

/** Up to `perKey` holders of each key at a time; others wait in order of arrival. Keys do not wait for each other. */
export class KeyedSemaphore<K> extends PermitQueue<K> {
  private readonly holders = new Map<K, number>();

  constructor(private readonly perKey: number) {
    super();
  }

  /** Waits for a permit of the key. Throws the signal's reason; the place in the queue is then given up. */
  acquire(key: K, signal?: AbortSignal): Promise<Release> {
    return this.take(key, signal);
  }

  /** Takes a free permit of the key without waiting; undefined: there is none. */
  tryAcquire(key: K): Release | undefined {
    return this.tryTake(key);
  }

  /** Permits of the key that are free now. */
  free(key: K): number {
    return this.perKey - (this.holders.get(key) ?? 0);
  }

  protected mayEnter(key: K): boolean {
    return this.free(key) > 0;
  }

  protected enter(key: K): void {
    this.holders.set(key, (this.holders.get(key) ?? 0) + 1);
  }

  /** Keys without a holder are forgotten: keys may be chosen by users. */
  protected leave(key: K): void {
    const left = (this.holders.get(key) ?? 1) - 1;
    if (left > 0) this.holders.set(key, left);
    else this.holders.delete(key);
  }

  protected next(key: K): Waiter<K> | undefined {
    return this.waiting.find((waiter) => waiter.key === key);
  }
}

/**
 * Up to `permits` holders at a time, and keys take turns: the next permit goes to the key with the fewest holders, among those to
 * the key that was served longest ago. A key without a holder may also take one of the `reserved` permits, so that keys whose
 * holders hang do not block the others.
 */
export class FairSemaphore<K> extends PermitQueue<K> {
  private readonly holders = new Map<K, number>();
  /** By key: the number of the turn in which it was served last. */
  private readonly served = new Map<K, number>();
  private turns = 0;
  private held = 0;

  constructor(
    private readonly permits: number,
    private readonly reserved = 0,
  ) {
    super();
  }

  /** Without holders and waiters. */
  get isIdle(): boolean {
    return this.held === 0 && this.waiting.length === 0;
  }

  /** Waits for a permit. Throws the signal's reason; the place in the queue is then given up. */
  acquire(key: K, signal?: AbortSignal): Promise<Release> {
    return this.take(key, signal);
  }

  protected mayEnter(key: K): boolean {
    return this.held < (this.holders.has(key) ? this.permits : this.permits + this.reserved);
  }

  protected enter(key: K): void {
    this.held++;
    this.holders.set(key, (this.holders.get(key) ?? 0) + 1);
    this.served.set(key, ++this.turns);
  }

  protected leave(key: K): void {
    this.held--;
    const left = (this.holders.get(key) ?? 1) - 1;
    if (left > 0) this.holders.set(key, left);
    else this.holders.delete(key);
    // Without a queue every key is served at once, so the turns of the past decide nothing.
    if (this.waiting.length === 0) this.served.clear();
  }

  /** One waiter at most may enter after a release, because keys without a holder precede the others. */
  protected next(): Waiter<K> | undefined {
    let best: Waiter<K> | undefined;
    for (const waiter of this.waiting) if (!best || this.isBefore(waiter, best)) best = waiter;
    return best && this.mayEnter(best.key) ? best : undefined;
  }

  private isBefore(one: Waiter<K>, other: Waiter<K>): boolean {
    const holders = (this.holders.get(one.key) ?? 0) - (this.holders.get(other.key) ?? 0);
    return holders === 0 ? (this.served.get(one.key) ?? 0) < (this.served.get(other.key) ?? 0) : holders < 0;
  }
}
