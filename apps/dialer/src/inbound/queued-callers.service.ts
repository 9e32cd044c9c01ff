import { type CallerTurn, type OwnedCall, WaitingCallersService } from '@app/calls';
import { type Log, type PeriodicTask, runPeriodically } from '@app/common';
import { metrics } from '@app/metrics';
import { LOG } from '@app/common/settings';
import { Inject, Injectable } from '@nestjs/common';

/** Calls of other dialers end without a wake-up of this one. */
const LOOK_MS = 1_000;

interface Waiting {
  owner: string;
  accountId: number;
  onTurn: (turn: CallerTurn) => void;
}

/** The callers of this dialer that wait for a free place. While there are none, the database is not read. */
@Injectable()
export class QueuedCallersService {
  private readonly waiting = new Map<string, Waiting>();
  private looks?: PeriodicTask;
  private isLooking = false;
  private isLookDue = false;

  constructor(
    private readonly callers: WaitingCallersService,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /** Reports the turns of the call until the returned function is called. */
  join({ id, owner }: OwnedCall, accountId: number, onTurn: (turn: CallerTurn) => void): () => void {
    this.waiting.set(id, { owner, accountId, onTurn });
    metrics.queueCallers.set(this.waiting.size);
    this.looks ??= runPeriodically(LOOK_MS, () => this.look(), this.log);
    this.wake();
    return () => this.leave(id);
  }

  /** The caller leaves the queue without a place, to be transferred. False: it got its place meanwhile, or its call is over. */
  quit(call: OwnedCall): Promise<boolean> {
    return this.callers.leave(call);
  }

  /** A call has ended: its place may be free. */
  wake(): void {
    this.look().catch((err: unknown) => this.log.error({ err }, 'waiting callers could not be served'));
  }

  private leave(id: string): void {
    this.waiting.delete(id);
    metrics.queueCallers.set(this.waiting.size);
    if (this.waiting.size > 0) return;
    void this.looks?.stop();
    this.looks = undefined;
  }

  private async look(): Promise<void> {
    if (this.waiting.size === 0) return;
    this.isLookDue = true;
    if (this.isLooking) return;
    this.isLooking = true;
    try {
      while (this.isLookDue) {
        this.isLookDue = false;
        await this.lookOnce();
      }
    } finally {
      this.isLooking = false;
    }
  }

  private async lookOnce(): Promise<void> {
    const accounts = new Map([...this.waiting.values()].map(({ accountId, owner }) => [accountId, owner]));
    for (const [accountId, owner] of accounts) {
      const ids = [...this.waiting].filter(([, one]) => one.accountId === accountId).map(([id]) => id);
      for (const turn of await this.callers.serve(owner, accountId, ids)) this.waiting.get(turn.id)?.onTurn(turn);
    }
  }
}
