import { MAX_QUEUE_WAIT_SECONDS } from '@app/accounts';
import { firstIdOf } from '@app/common';
import { Database, type Sql } from '@app/database';
import { Injectable } from '@nestjs/common';
import { CALL_COLUMNS, type CallRow } from '../call.entity.js';

/** A live call of a dialer, and the seconds since it should have ended (negative: it is within its limits). */
export interface LiveCall {
  id: string;
  overdue_seconds: number;
}

/** A dialer that has not renewed its lease for this time is dead; its calls end or return to the queue. */
const LEASE_SECONDS = 10;
/** Time for the set-up besides ringing: each of several targets without a response takes 32 s (Timer B). */
const SET_UP_SECONDS = 240;
/** The longest wait of an inbound call for its agent, and the messages that it hears. */
const QUEUE_SECONDS = MAX_QUEUE_WAIT_SECONDS + 240;
/** Calls per sweep. A constant in the statements, because the planner must know that it is small. */
export const SWEEP_BATCH = 50;

const REGISTER = {
  name: 'register-dialer',
  text: `INSERT INTO dialers (id, lease_until) VALUES ($1, now() + ${LEASE_SECONDS} * interval '1 s')`,
};

const RENEW = {
  name: 'renew-dialer',
  text: `UPDATE dialers SET lease_until = now() + ${LEASE_SECONDS} * interval '1 s' WHERE id = $1 AND dead_at IS NULL RETURNING id`,
};

const RELEASE_UNDIALLED = {
  name: 'release-undialled-calls',
  text: 'UPDATE calls SET owner = NULL WHERE owner = $1 AND started_at IS NULL AND ended_at IS NULL',
};

const RETIRE = { name: 'retire-dialer', text: 'UPDATE dialers SET dead_at = now() WHERE id = $1 AND dead_at IS NULL' };

const EXPIRE = {
  name: 'expire-dialers',
  text: 'UPDATE dialers SET dead_at = now() WHERE dead_at IS NULL AND lease_until < now()',
};

const CANCELLED = {
  name: 'cancelled-calls',
  text: 'SELECT id FROM calls WHERE owner = $1 AND ended_at IS NULL AND cancel_requested_at IS NOT NULL',
};

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

const ORPHANS = {
  name: 'orphaned-calls',
  // As an array of ids: beside ORDER BY and LIMIT the planner walks all calls (5 s among 10,000,000) to find the few that are live.
  text: `SELECT ${CALL_COLUMNS} FROM calls
      WHERE ended_at IS NULL AND id = ANY (ARRAY(SELECT c.id FROM calls c JOIN dialers d ON d.id = c.owner
        WHERE c.owner IS NOT NULL AND c.ended_at IS NULL AND d.dead_at IS NOT NULL))
      ORDER BY id LIMIT ${SWEEP_BATCH} FOR UPDATE SKIP LOCKED`,
};

const OWNED_AMONG = {
  name: 'forgotten-calls',
  text: `SELECT ${CALL_COLUMNS} FROM calls WHERE ended_at IS NULL AND owner = $1 AND id = ANY ($2::uuid[])
      ORDER BY id LIMIT ${SWEEP_BATCH} FOR UPDATE SKIP LOCKED`,
};

const QUEUED_BEFORE = {
  name: 'calls-that-waited-too-long',
  text: `SELECT ${CALL_COLUMNS} FROM calls
      WHERE status = 'pending' AND owner IS NULL AND due_at IS NULL AND id < $1 AND (released_at IS NULL OR released_at < $2)
      ORDER BY account_id, due_at NULLS FIRST, id LIMIT ${SWEEP_BATCH} FOR UPDATE SKIP LOCKED`,
};

const REQUEUE = { name: 'requeue-calls', text: 'UPDATE calls SET owner = NULL WHERE id = ANY ($1::uuid[])' };

/** Dialer processes and the calls that they own. Prepared: each dialer polls them. */
@Injectable()
export class DialersRepository {
  constructor(private readonly database: Database) {}

  async register(id: string): Promise<void> {
    await this.database.rows(REGISTER, [id]);
  }

  /** False: the dialer has been declared dead. */
  async renew(id: string): Promise<boolean> {
    return (await this.database.rows(RENEW, [id])).length > 0;
  }

  /** Returns claimed calls to the queue that were not dialled, and ends the lease. */
  async retire(id: string): Promise<void> {
    await this.database.rows(RELEASE_UNDIALLED, [id]);
    await this.database.rows(RETIRE, [id]);
  }

  /** Declares dialers with an expired lease dead. */
  async expire(): Promise<void> {
    await this.database.rows(EXPIRE);
  }

  async cancelledCalls(owner: string): Promise<string[]> {
    return (await this.database.rows<{ id: string }>(CANCELLED, [owner])).map(({ id }) => id);
  }

  liveCalls(owner: string): Promise<LiveCall[]> {
    return this.database.rows<LiveCall & Record<string, unknown>>(LIVE, [owner]);
  }

  /** Locks live calls of dead dialers. */
  lockOrphans(tx: Sql): Promise<CallRow[]> {
    return this.database.rows<CallRow>(ORPHANS, [], tx);
  }

  /** Locks the live calls of `owner` among some calls. */
  lockOwned(owner: string, callIds: readonly string[], tx: Sql): Promise<CallRow[]> {
    return this.database.rows<CallRow>(OWNED_AMONG, [owner, callIds], tx);
  }

  /** Locks queued calls that joined the queue before `time`. */
  lockQueuedBefore(time: number, tx: Sql): Promise<CallRow[]> {
    return this.database.rows<CallRow>(QUEUED_BEFORE, [firstIdOf(time), new Date(time)], tx);
  }

  async requeue(callIds: readonly string[], tx: Sql): Promise<void> {
    await this.database.rows(REQUEUE, [callIds], tx);
  }
}
