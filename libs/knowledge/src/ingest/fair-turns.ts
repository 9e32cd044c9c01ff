interface Waiting {
  account: number;
  enter: () => void;
}

/** So many at once. Who waits is let in by account: the one with the fewest inside, and of those the one that was let in longest ago. */
export class FairTurns {
  private readonly inside = new Map<number, number>();
  private readonly lastTurn = new Map<number, number>();
  private readonly waiting: Waiting[] = [];
  private turns = 0;

  constructor(private free: number) {}

  /** Resolves with what ends the turn. Rejects with the signal's reason. */
  async take(account: number, signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    if (this.free > 0) this.enter(account);
    else await this.wait(account, signal);
    return () => this.leave(account);
  }

  private wait(account: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const giveUp = () => {
        this.waiting.splice(this.waiting.indexOf(one), 1);
        reject(signal.reason as Error);
      };
      const enter = () => {
        signal.removeEventListener('abort', giveUp);
        resolve();
      };
      const one = { account, enter };
      signal.addEventListener('abort', giveUp, { once: true });
      this.waiting.push(one);
    });
  }

  private enter(account: number): void {
    this.free--;
    this.inside.set(account, (this.inside.get(account) ?? 0) + 1);
    this.lastTurn.set(account, ++this.turns);
  }

  private leave(account: number): void {
    this.free++;
    const left = (this.inside.get(account) ?? 1) - 1;
    if (left > 0) this.inside.set(account, left);
    else this.inside.delete(account);
    const next = this.waiting.reduce<Waiting | undefined>(
      (best, one) => (best && !this.before(one, best) ? best : one),
      undefined,
    );
    if (!next) return this.lastTurn.clear();
    this.waiting.splice(this.waiting.indexOf(next), 1);
    this.enter(next.account);
    next.enter();
  }

  private before(one: Waiting, other: Waiting): boolean {
    const count = ({ account }: Waiting): number => this.inside.get(account) ?? 0;
    const last = ({ account }: Waiting): number => this.lastTurn.get(account) ?? 0;
    return count(one) - count(other) < 0 || (count(one) === count(other) && last(one) < last(other));
  }
}
