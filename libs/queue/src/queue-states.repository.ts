import { KEPT_FAILURES } from './job-schedules.js';
import type { SharedBackend } from './shared-postgres.js';

/** What BullMQ says of the jobs of a queue. */
export interface QueueState {
  queue: string;
  waiting: number;
  /** Units at work in all processes. */
  active: number;
  /** In the last day. */
  failed: number;
  /** How long the oldest waiting job has waited: for so long no process had a free place. */
  oldestSeconds: number;
}

/** A bigint, so that the index of finished jobs serves the comparison. */
const NOW = '(extract(epoch FROM now()) * 1000)::bigint';
/** Each state has an index of its own. A job that was planned waits since its time, not since it was added. */
const STATES = `
  SELECT queue,
      count(*) FILTER (WHERE state = 'waiting')::integer AS waiting,
      count(*) FILTER (WHERE state = 'active')::integer AS active,
      count(*) FILTER (WHERE state = 'failed')::integer AS failed,
      coalesce(greatest(${NOW} - min(coalesce(process_at_ms, added_at_ms)) FILTER (WHERE state = 'waiting'), 0) / 1000.0,
        0)::double precision AS "oldestSeconds"
    FROM job
    WHERE queue = ANY ($1)
      AND (state = 'waiting' OR state = 'active' OR state = 'failed' AND finished_at_ms > ${NOW} - ${KEPT_FAILURES.age * 1_000})
    GROUP BY queue`;

/** The jobs of BullMQ on PostgreSQL. */
export class QueueStatesRepository {
  constructor(private readonly backend: SharedBackend) {}

  /** Of all these queues, in one statement. */
  async read(queues: readonly string[]): Promise<QueueState[]> {
    const found = new Map((await this.backend.rows<QueueState>(STATES, [queues])).map((state) => [state.queue, state]));
    return queues.map((queue) => found.get(queue) ?? { queue, waiting: 0, active: 0, failed: 0, oldestSeconds: 0 });
  }
}
