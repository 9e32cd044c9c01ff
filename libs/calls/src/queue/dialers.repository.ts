import { firstIdOf } from '@app/common';
import { Database, type Sql } from '@app/database';
import { Injectable } from '@nestjs/common';
import { CALL_COLUMNS, type CallRow } from '../call.entity.js';

/** A dialer that has not renewed its lease for this time is dead; its calls end or return to the queue. */
const LEASE_SECONDS = 10;
/** Calls per sweep. A constant in the statements, because the planner must know that it is small. */
export const SWEEP_BATCH = 50;

const REGISTER = {
  name: 'register-dialer',
  text: `INSERT INTO dialers (id, lease_until, provider_names, internal_address)
    VALUES ($1, now() + ${LEASE_SECONDS} * interval '1 s', $2, $3)`,
};

/** Dialers of earlier releases have none. */
const PROVIDER_NAMES = {
  name: 'provider-names-of-dialers',
  text: 'SELECT provider_names AS names FROM dialers WHERE dead_at IS NULL AND lease_until > now() AND provider_names IS NOT NULL',
};

/** Those with the fewest live calls first. */
const INTERNAL_ADDRESSES = {
  name: 'internal-addresses-of-dialers',
  text: `SELECT d.internal_address AS address FROM dialers d
    WHERE d.dead_at IS NULL AND d.lease_until > now() AND d.internal_address IS NOT NULL
    ORDER BY (SELECT count(*) FROM calls c WHERE c.owner = d.id AND c.owner IS NOT NULL AND c.ended_at IS NULL), d.started_at DESC`,
};

const RENEW = {
  name: 'renew-dialer',
  text: `UPDATE dialers SET lease_until = now() + ${LEASE_SECONDS} * interval '1 s' WHERE id = $1 AND dead_at IS NULL RETURNING id`,
};

const COUNTS = {
  name: 'count-dialers',
  text: `SELECT (SELECT count(*)::integer FROM dialers WHERE dead_at IS NULL AND lease_until > now()) AS alive,
      (SELECT count(*)::integer FROM calls WHERE owner IS NOT NULL AND ended_at IS NULL) AS live`,
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

  /** `providerNames`: of `@app/voice`. `internalAddress`: `host:port`. */
  async register(id: string, providerNames: readonly string[], internalAddress: string): Promise<void> {
    await this.database.rows(REGISTER, [id, providerNames, internalAddress]);
  }

  /** What each live dialer published. */
  async providerNames(): Promise<string[][]> {
    return (await this.database.quickRows<{ names: string[] }>(PROVIDER_NAMES, [])).map(({ names }) => names);
  }

  /** `host:port` of the internal servers of live dialers, those with the fewest calls first. */
  async internalAddresses(): Promise<string[]> {
    return (await this.database.rows<{ address: string }>(INTERNAL_ADDRESSES)).map(({ address }) => address);
  }

  /** False: the dialer has been declared dead. */
  async renew(id: string): Promise<boolean> {
    return (await this.database.rows(RENEW, [id])).length > 0;
  }

  /** Dialers with a lease, and calls that dialers carry. */
  async counts(): Promise<{ alive: number; live: number }> {
    const [row] = await this.database.rows<{ alive: number; live: number }>(COUNTS);
    return row ?? { alive: 0, live: 0 };
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
