import { setTimeout as delay } from 'node:timers/promises';
import type { WebhookAccount } from '../support/webhook-account.js';
import type { FaultSink } from './fault-sink.js';

/** Events of one call: four statuses, then the post-call one. */
const STATUSES = 4;
/** Calls that are under way at the same time. */
const LANES = 10;
/** Written and not accepted yet: more would only make the row longer. */
const MOST_WAITING = 1_500;
const RETRY_MS = 100;

export interface LoadOptions {
  /** Events per second, about. */
  rate: number;
}

/**
 * Calls that tell what happens to them, each event committed by itself, as a dialer does it. While the database is away it tries again
 * with the next event.
 */
export class Load {
  /** Ids whose COMMIT was answered. */
  readonly acknowledged: string[] = [];
  private stopped = false;
  private calls = 0;
  private readonly lanes: Promise<void>[];

  constructor(
    private readonly account: WebhookAccount,
    private readonly sink: FaultSink,
    private readonly options: LoadOptions,
  ) {
    this.lanes = Array.from({ length: LANES }, () => this.lane());
  }

  /** Resolves when nothing is being written any more. */
  async stop(): Promise<void> {
    this.stopped = true;
    await Promise.all(this.lanes);
  }

  private async lane(): Promise<void> {
    while (!this.stopped) await this.carry(this.calls++);
  }

  private async carry(call: number): Promise<void> {
    const target = { url: this.sink.url(call), method: 'POST' };
    const callId = await this.written(() => this.account.createCall());
    if (callId === undefined) return;
    for (let sequence = 1; sequence <= STATUSES + 1 && !this.stopped; sequence++) {
      await this.room();
      const record = await this.written(() => this.account.writeEvent(callId, target, sequence, sequence > STATUSES));
      if (record) this.acknowledged.push(record.id);
      await delay((1_000 * LANES) / this.options.rate);
    }
  }

  private async room(): Promise<void> {
    const waiting = () => this.acknowledged.length - this.sink.accepted.size;
    while (!this.stopped && waiting() > MOST_WAITING) await delay(RETRY_MS);
  }

  /** Undefined: it is not known whether that was committed. */
  private async written<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch {
      await delay(RETRY_MS);
      return undefined;
    }
  }
}
