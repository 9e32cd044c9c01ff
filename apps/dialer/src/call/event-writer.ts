import type { NewCallEvent, OwnedCall } from '@app/calls';
import type { Log } from '@app/common';
import type { CallRecordsService } from './call-records.service.js';

/** Events of a conversation come in bursts; they are written together this long after the first of a burst. */
const BATCH_MS = 400;

/** Appends the events of a call to the database in order, in batches. */
export class EventWriter {
  private waiting: NewCallEvent[] = [];
  private timer: NodeJS.Timeout | undefined;
  private writing: Promise<void> = Promise.resolve();

  constructor(
    private readonly records: CallRecordsService,
    private readonly call: OwnedCall,
    private readonly log: Log,
  ) {}

  add(event: NewCallEvent): void {
    this.waiting.push(event);
    this.timer ??= setTimeout(() => void this.flush(), BATCH_MS);
  }

  /** Resolves when everything added so far is written, or its loss has been logged. */
  flush(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    const batch = this.waiting;
    this.waiting = [];
    this.writing = this.writing.then(() => this.append(batch));
    return this.writing;
  }

  private async append(batch: NewCallEvent[]): Promise<void> {
    const { id } = this.call;
    try {
      const ours = await this.records.appendEvents(this.call, batch);
      if (!ours)
        this.log.warn(
          { call_id: id, events: batch.length },
          'events of a call that belongs to another dialer were dropped',
        );
    } catch (err) {
      this.log.error({ err, call_id: id, events: batch.length }, 'events of a call could not be written');
    }
  }
}
