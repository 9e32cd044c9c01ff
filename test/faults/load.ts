import { setTimeout as delay } from 'node:timers/promises';
import type { EventWriter } from './fault-accounts.js';
import type { FaultSink } from './fault-sink.js';

/** Events of one call: four statuses and the post-call event. */
const STATUSES = 4;
/** Number of concurrent calls. */
const LANES = 10;
/** Maximum number of webhooks not accepted yet: more would only make the row longer. */
const MAX_WAITING = 1_500;
const RETRY_MS = 100;

export interface LoadOptions {
  /** Approximate number of events per second. */
  rate: number;
}

/**
 * Calls that report their events, each in a separate transaction, as a dialer does. While the database is down, it retries with the
 * next event.
 */
export class Load {
  /** Ids with an acknowledged COMMIT. */
  readonly acknowledged: string[] = [];
  private stopped = false;
  private calls = 0;
  private readonly lanes: Promise<void>[];

  constructor(
    private readonly writer: EventWriter,
    private readonly sink: FaultSink,
    private readonly options: LoadOptions,
  ) {
    this.lanes = Array.from({ length: LANES }, () => this.lane());
  }

  /** Resolves after the last write. */
  async stop(): Promise<void> {
    this.stopped = true;
    await Promise.all(this.lanes);
  }

  private async lane(): Promise<void> {
    while (!this.stopped) await this.carry(this.calls++);
  }

  private async carry(call: number): Promise<void> {
    const url = this.sink.url(call);
    const callId = await this.written(() => this.writer.createCall());
    if (callId === undefined) return;
    for (let sequence = 1; sequence <= STATUSES + 1 && !this.stopped; sequence++) {
      await this.room();
      const id = await this.written(() => this.writer.writeEvent(callId, url, sequence, sequence > STATUSES));
      if (id !== undefined) this.acknowledged.push(id);
      await delay((1_000 * LANES) / this.options.rate);
    }
  }

  private async room(): Promise<void> {
    const waiting = () => this.acknowledged.length - this.sink.accepted.size;
    while (!this.stopped && waiting() > MAX_WAITING) await delay(RETRY_MS);
  }

  /** undefined: it is unknown whether the transaction was committed. */
  private async written<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch {
      await delay(RETRY_MS);
      return undefined;
    }
  }
}
