import { firstIdOf } from '@app/common';
import { Database, type Sql } from '@app/database';
import { Injectable } from '@nestjs/common';
import { CALL_COLUMNS, type CallRow } from './call.entity.js';

/** A live call of a dialer, and seconds since it should have ended (negative: it may go on). */
export interface LiveCall {
  id: string;
  overdue_seconds: number;
}

/** A dialer that has not renewed for this long is dead; its calls end or return to the queue. */
const LEASE_SECONDS = 10;
/** Besides the ringing: several targets without a response are given up after 32 s each (Timer B). */
const SET_UP_SECONDS = 240;
/** Calls of one sweep. A constant of the statements: the planner needs to know that it is small. */
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
  text: `SELECT c.id, coalesce(extract(epoch FROM now() - coalesce(c.answered_at + a.max_call_seconds * interval '1 s',
        c.started_at + (a.ring_timeout_seconds + ${SET_UP_SECONDS}) * interval '1 s')), -1)::float8 AS overdue_seconds
      FROM calls c JOIN agents a ON a.id = c.agent_id WHERE c.owner = $1 AND c.ended_at IS NULL`,
};

const ORPHANS = {
  name: 'orphaned-calls',
  text: `SELECT ${CALL_COLUMNS} FROM calls
      WHERE ended_at IS NULL AND owner IN (SELECT id FROM dialers WHERE dead_at IS NOT NULL)
      ORDER BY id LIMIT ${SWEEP_BATCH} FOR UPDATE SKIP LOCKED`,
};

const OWNED_AMONG = {
  name: 'forgotten-calls',
  text: `SELECT ${CALL_COLUMNS} FROM calls WHERE ended_at IS NULL AND owner = $1 AND id = ANY ($2::uuid[])
      ORDER BY id LIMIT ${SWEEP_BATCH} FOR UPDATE SKIP LOCKED`,
};

const QUEUED_BEFORE = {
  name: 'calls-that-waited-too-long',
  text: `SELECT ${CALL_COLUMNS} FROM calls WHERE status = 'pending' AND owner IS NULL AND id < $1
      ORDER BY account_id, id LIMIT ${SWEEP_BATCH} FOR UPDATE SKIP LOCKED`,
};

const REQUEUE = { name: 'requeue-calls', text: 'UPDATE calls SET owner = NULL WHERE id = ANY ($1::uuid[])' };

/** Dialer processes and the calls that they own, prepared: each dialer polls them. */
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

  /** Returns claimed calls that were not dialled to the queue, and ends the lease. */
  async retire(id: string): Promise<void> {
    await this.database.rows(RELEASE_UNDIALLED, [id]);
    await this.database.rows(RETIRE, [id]);
  }

  /** Declares dialers dead whose lease has run out. */
  async expire(): Promise<void> {
    await this.database.rows(EXPIRE);
  }

  async cancelledCalls(owner: string): Promise<string[]> {
    return (await this.database.rows<{ id: string }>(CANCELLED, [owner])).map(({ id }) => id);
  }

  liveCalls(owner: string): Promise<LiveCall[]> {
    return this.database.rows<LiveCall & Record<string, unknown>>(LIVE, [owner]);
  }

  /** Locked: live calls of dead dialers. */
  lockOrphans(tx: Sql): Promise<CallRow[]> {
    return this.database.rows<CallRow>(ORPHANS, [], tx);
  }

  /** Locked: those of the calls that are live and belong to `owner`. */
  lockOwned(owner: string, callIds: readonly string[], tx: Sql): Promise<CallRow[]> {
    return this.database.rows<CallRow>(OWNED_AMONG, [owner, callIds], tx);
  }

  /** Locked: queued calls that were created before `time`. */
  lockQueuedBefore(time: number, tx: Sql): Promise<CallRow[]> {
    return this.database.rows<CallRow>(QUEUED_BEFORE, [firstIdOf(time)], tx);
  }

  async requeue(callIds: readonly string[], tx: Sql): Promise<void> {
    await this.database.rows(REQUEUE, [callIds], tx);
  }
}
