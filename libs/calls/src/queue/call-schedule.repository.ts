import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';

/** Calls per statement: a row takes about 0.1 ms, and a cancellation waits for its lock. */
export const RELEASE_BATCH = 200;

/**
 * Several processes release different calls. A web call never joins the queue: one that its page opened keeps no time. An ended call keeps no time, but a process of an earlier release may have ended it: it leaves
 * the index here as well.
 */
const RELEASE = {
  name: 'release-calls',
  text: `WITH due AS MATERIALIZED (
      SELECT id FROM calls WHERE due_at <= now() AND (channel = 'phone' OR owner IS NOT NULL) ORDER BY due_at LIMIT ${RELEASE_BATCH} FOR NO KEY UPDATE SKIP LOCKED)
    UPDATE calls c SET due_at = NULL, released_at = CASE channel WHEN 'phone' THEN now() END FROM due WHERE c.id = due.id RETURNING c.id`,
};

const NEXT_DUE = {
  name: 'next-due-call',
  text: `SELECT (extract(epoch FROM due_at - now()) * 1000)::float8 AS ms FROM calls WHERE due_at IS NOT NULL ORDER BY due_at LIMIT 1`,
};

/** The calls that wait for their time. Prepared: every dialer and worker looks each second. */
@Injectable()
export class CallScheduleRepository {
  constructor(private readonly database: Database) {}

  /** Moves due calls into the queue, RELEASE_BATCH at most, and returns how many. */
  async release(): Promise<number> {
    return (await this.database.rows(RELEASE)).length;
  }

  /** The ms until the next call is due; undefined: no call waits for its time. */
  async nextDueMs(): Promise<number | undefined> {
    const [next] = await this.database.rows<{ ms: number }>(NEXT_DUE);
    return next?.ms;
  }
}
