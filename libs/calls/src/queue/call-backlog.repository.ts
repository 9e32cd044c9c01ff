import { Database, MAX_COUNTED, type QueueLength, queueLength } from '@app/database';
import { Injectable } from '@nestjs/common';

export interface CallBacklog {
  /** `scheduled`: wait for their time. */
  calls: Record<'scheduled' | 'pending' | 'ringing' | 'in_progress', number>;
  queue: QueueLength;
  /** In the last 15 minutes; an ending dialer is not scraped again, so it cannot report them itself. */
  cutOff: number;
}

const QUEUE = {
  name: 'backlog-calls',
  // A scheduled call belongs to the backlog when it should have been released.
  from: `(SELECT coalesce(released_at, created_at) AS at FROM calls WHERE status = 'pending' AND owner IS NULL AND due_at IS NULL
      UNION ALL SELECT due_at FROM calls WHERE due_at <= now()) c`,
  since: 'at',
};
const LIVE = {
  name: 'backlog-live',
  text: `SELECT count(*) FILTER (WHERE status = 'ringing')::integer AS ringing,
      count(*) FILTER (WHERE status = 'in_progress')::integer AS in_progress,
      count(*) FILTER (WHERE status = 'pending')::integer AS taken
    FROM calls WHERE owner IS NOT NULL AND ended_at IS NULL`,
};
const SCHEDULED = {
  name: 'backlog-scheduled',
  text: `SELECT count(*)::integer AS n FROM (SELECT 1 FROM calls WHERE due_at > now() LIMIT ${MAX_COUNTED}) scheduled`,
};
const CUT_OFF = {
  name: 'backlog-cut-off',
  text: `SELECT count(*)::integer AS n FROM calls WHERE hangup_cause = 'drained' AND ended_at > now() - interval '15 minutes'`,
};

/** Queued, scheduled and live calls of the installation, for its metrics: each part by one indexed statement. */
@Injectable()
export class CallBacklogRepository {
  constructor(private readonly database: Database) {}

  async read(): Promise<CallBacklog> {
    const queue = await queueLength(this.database, QUEUE);
    const [live] = await this.database.rows<{ ringing: number; in_progress: number; taken: number }>(LIVE);
    const [scheduled] = await this.database.rows<{ n: number }>(SCHEDULED);
    const [cutOff] = await this.database.rows<{ n: number }>(CUT_OFF);
    const calls = {
      scheduled: scheduled?.n ?? 0,
      pending: queue.depth + (live?.taken ?? 0),
      ringing: live?.ringing ?? 0,
      in_progress: live?.in_progress ?? 0,
    };
    return { calls, queue, cutOff: cutOff?.n ?? 0 };
  }
}
