import { MAX_QUEUE_WAIT_SECONDS } from '@app/accounts';
import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';

/** A live call of a dialer, and the seconds since it should have ended (negative: it is within its limits). */
export interface LiveCall {
  id: string;
  overdue_seconds: number;
}

/** Time for the set-up besides ringing: each of several targets without a response takes 32 s (Timer B). */
const SET_UP_SECONDS = 240;
/** The longest wait of an inbound call for its agent, and the messages that it hears. */
const QUEUE_SECONDS = MAX_QUEUE_WAIT_SECONDS + 240;
/**
 * Tables: calls; agents and agent_versions of libs/agents, whose limits decide when a call is overdue. Each dialer polls it.
 */
const LIVE = {
  name: 'calls-answered-for',
  text: `SELECT c.id, coalesce(extract(epoch FROM now() - coalesce(
        coalesce(c.served_at, c.queue_left_at, c.answered_at + CASE WHEN c.queued_at IS NULL THEN 0 ELSE ${QUEUE_SECONDS} END * interval '1 s')
          + coalesce((v.settings->>'max_call_seconds')::int, a.max_call_seconds) * interval '1 s',
        c.started_at + (coalesce((v.settings->>'ring_timeout_seconds')::int, a.ring_timeout_seconds) + ${SET_UP_SECONDS})
          * interval '1 s')), -1)::float8 AS overdue_seconds
      FROM calls c JOIN agents a ON a.id = c.agent_id
        LEFT JOIN agent_versions v ON v.agent_id = c.agent_id AND v.version = c.agent_version
      WHERE c.owner = $1 AND c.ended_at IS NULL`,
};

/** How long the calls of a dialer have been overdue. Prepared: each dialer polls it. */
@Injectable()
export class OverdueCallsRepository {
  constructor(private readonly database: Database) {}

  liveCalls(owner: string): Promise<LiveCall[]> {
    return this.database.rows<LiveCall & Record<string, unknown>>(LIVE, [owner]);
  }
}
