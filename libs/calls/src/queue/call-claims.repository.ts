import { TRUNK_LEG_COUNT } from '@app/accounts';
import { Database, type Sql } from '@app/database';
import { Injectable } from '@nestjs/common';
import type { OwnedCall } from '../domain/call.js';
import type { Gate, WaitingCall } from '../domain/claim-plan.js';

/** The limits that decide about the second leg of a transfer. */
interface TransferRoom {
  free: boolean;
  /** Calls per second; null: no limit. */
  rate: number | null;
  wait_ms: number;
}

/** Queued calls of one account that one claim reads. */
const LOOK_AHEAD = 200;

/**
 * Accounts with queued calls: one index probe each, regardless of the lengths of the queues. The first call of an account waits for its
 * time (`due_at`) only when all do.
 */
const WAITING_ACCOUNTS = {
  name: 'waiting-accounts',
  text: `WITH RECURSIVE waiting AS (
      (SELECT account_id, due_at FROM calls WHERE status = 'pending' AND owner IS NULL
        ORDER BY account_id, due_at NULLS FIRST LIMIT 1)
      UNION ALL
      SELECT next.account_id, next.due_at FROM waiting CROSS JOIN LATERAL (
        SELECT c.account_id, c.due_at FROM calls c WHERE c.status = 'pending' AND c.owner IS NULL AND c.account_id > waiting.account_id
          ORDER BY c.account_id, c.due_at NULLS FIRST LIMIT 1) next)
    SELECT account_id FROM waiting WHERE due_at IS NULL`,
};

const ADD_GATE = {
  name: 'add-dial-gate',
  text: 'INSERT INTO dial_gates (account_id) VALUES ($1) ON CONFLICT DO NOTHING',
};

/** The row lock serialises the decisions about the limits of an account and its trunks, over all dialers. */
const TRY_LOCK_GATE = {
  name: 'claim-lock-account',
  text: 'SELECT 1 FROM dial_gates WHERE account_id = $1 FOR UPDATE SKIP LOCKED',
};

const LOCK_GATE = {
  name: 'lock-dial-gate',
  text: 'SELECT 1 FROM dial_gates WHERE account_id = $1 FOR UPDATE',
};

/**
 * Separate from the lock: a statement that locks and counts would count in the snapshot from before its wait. The limits of accounts and
 * sip_trunks, which are tables of libs/accounts, are read with what they admit: these statements run under the lock of each claim.
 */
const ACCOUNT_GATE = {
  name: 'claim-account',
  text: `SELECT a.calls_per_second AS rate, extract(epoch FROM g.next_dial_at - now()) * 1000 AS next_ms,
            a.concurrent_calls - (SELECT count(*)::int FROM calls c WHERE c.account_id = a.id
                AND c.owner IS NOT NULL AND c.ended_at IS NULL) AS free
       FROM dial_gates g JOIN accounts a ON a.id = g.account_id WHERE g.account_id = $1`,
};

const TRUNK_GATES = {
  name: 'claim-trunks',
  text: `SELECT t.id, t.calls_per_second AS rate, extract(epoch FROM g.next_dial_at - now()) * 1000 AS next_ms,
            t.concurrent_calls - ${TRUNK_LEG_COUNT} AS free
       FROM sip_trunks t LEFT JOIN trunk_gates g ON g.trunk_id = t.id WHERE t.account_id = $1`,
};

/** Ordered like its index: the planner does not know that all `due_at` are equal. */
const QUEUE = {
  name: 'queued-calls',
  text: `SELECT id, trunk_id AS "trunkId" FROM calls
      WHERE account_id = $1 AND status = 'pending' AND owner IS NULL AND due_at IS NULL AND (trunk_id IS NULL OR trunk_id <> ALL ($2::int[]))
      ORDER BY due_at NULLS FIRST, id LIMIT ${LOOK_AHEAD}`,
};

const CLAIM = { name: 'claim-calls', text: 'UPDATE calls SET owner = $1 WHERE id = ANY ($2::uuid[])' };

const PACE_ACCOUNT = {
  name: 'pace-account',
  text: `UPDATE dial_gates SET next_dial_at = now() + $2 * interval '1 ms' WHERE account_id = $1`,
};

const PACE_TRUNKS = {
  name: 'pace-trunks',
  text: `INSERT INTO trunk_gates (trunk_id, next_dial_at)
       SELECT id, now() + ms * interval '1 ms' FROM unnest($1::int[], $2::float8[]) AS t (id, ms)
       ON CONFLICT (trunk_id) DO UPDATE SET next_dial_at = excluded.next_dial_at`,
};

const TRANSFER_ROOM = {
  name: 'transfer-room',
  text: `SELECT t.concurrent_calls IS NULL OR ${TRUNK_LEG_COUNT} < t.concurrent_calls AS free, t.calls_per_second AS rate,
      greatest(0, coalesce(extract(epoch FROM g.next_dial_at - now()) * 1000, 0))::float8 AS wait_ms
    FROM sip_trunks t LEFT JOIN trunk_gates g ON g.trunk_id = t.id WHERE t.id = $1 AND t.account_id = $2`,
};

const CLAIM_TRANSFER = {
  name: 'transfer-take',
  text: 'UPDATE calls SET transfer_trunk_id = $3 WHERE id = $1 AND owner = $2 AND ended_at IS NULL RETURNING 1 AS taken',
};

const CLAIM_REDIRECT = {
  name: 'redirect-take',
  text: 'UPDATE calls SET trunk_id = $3 WHERE id = $1 AND owner = $2 AND ended_at IS NULL RETURNING 1 AS taken',
};

interface GateRow {
  free: number | null;
  rate: number | null;
  /** `extract` returns a numeric, which pg returns as text. */
  next_ms: string | null;
}

/** The limits of accounts and trunks and the calls that they admit. Prepared: every dialer claims each second and at every wake-up. */
@Injectable()
export class CallClaimsRepository {
  constructor(private readonly database: Database) {}

  async waitingAccounts(): Promise<number[]> {
    const found = await this.database.rows<{ account_id: number }>(WAITING_ACCOUNTS);
    return found.map(({ account_id: id }) => id);
  }

  /** Locks the limits of the account. False: another dialer has the lock. */
  async tryLock(accountId: number, tx: Sql): Promise<boolean> {
    await this.database.rows(ADD_GATE, [accountId], tx);
    return (await this.database.rows(TRY_LOCK_GATE, [accountId], tx)).length > 0;
  }

  /** `tryLock` that waits for the lock. */
  async lock(accountId: number, tx: Sql): Promise<void> {
    await this.database.rows(ADD_GATE, [accountId], tx);
    await this.database.rows(LOCK_GATE, [accountId], tx);
  }

  async accountGate(accountId: number, tx?: Sql): Promise<Gate | undefined> {
    const [row] = await this.database.rows<GateRow & Record<string, unknown>>(ACCOUNT_GATE, [accountId], tx);
    // Unlike a trunk, an account always has a limit.
    return row && { ...gateOf(row), free: row.free ?? 0 };
  }

  /** By the id of the trunk. */
  async trunkGates(accountId: number, tx?: Sql): Promise<Map<number, Gate>> {
    type Found = GateRow & { id: number } & Record<string, unknown>;
    const found = await this.database.rows<Found>(TRUNK_GATES, [accountId], tx);
    return new Map(found.map((row) => [row.id, gateOf(row)]));
  }

  /** The first queued calls of the account, without those of the closed trunks. */
  queue(accountId: number, closedTrunks: readonly number[], tx: Sql): Promise<WaitingCall[]> {
    const values = [accountId, closedTrunks];
    return this.database.rows<WaitingCall & Record<string, unknown>>(QUEUE, values, tx);
  }

  async claim(dialer: string, callIds: readonly string[], tx: Sql): Promise<void> {
    await this.database.rows(CLAIM, [dialer, callIds], tx);
  }

  /** Blocks INVITEs of the account for `ms`. */
  async paceAccount(accountId: number, ms: number, tx: Sql): Promise<void> {
    await this.database.rows(PACE_ACCOUNT, [accountId, ms], tx);
  }

  /** Blocks INVITEs over each trunk for its `ms`. */
  async paceTrunks(trunks: readonly { id: number; ms: number }[], tx: Sql): Promise<void> {
    await this.database.rows(PACE_TRUNKS, [trunks.map(({ id }) => id), trunks.map(({ ms }) => ms)], tx);
  }

  async transferRoom(trunk: { id: number; accountId: number }, tx: Sql): Promise<TransferRoom | undefined> {
    const values = [trunk.id, trunk.accountId];
    const [room] = await this.database.rows<TransferRoom & Record<string, unknown>>(TRANSFER_ROOM, values, tx);
    return room;
  }

  /** The second leg of a transfer, or the first leg after a redirection, occupies the trunk. False: the call belongs to another dialer or has ended. */
  async claimLeg(leg: 'transfer' | 'redirect', { id, owner }: OwnedCall, trunkId: number, tx: Sql): Promise<boolean> {
    const claim = leg === 'transfer' ? CLAIM_TRANSFER : CLAIM_REDIRECT;
    return (await this.database.rows(claim, [id, owner, trunkId], tx)).length > 0;
  }
}

const gateOf = (row: GateRow): Gate => ({
  free: row.free ?? Number.POSITIVE_INFINITY,
  rate: row.rate ?? undefined,
  nextAt: row.next_ms === null ? Number.NEGATIVE_INFINITY : Number(row.next_ms),
});
