import { type NumberClosed, type NumberHours, type NumberQueue, TRUNK_LEG_COUNT } from '@app/accounts';
import { type VariableDeclaration } from '@app/agents';
import { Database, type Sql } from '@app/database';
import { Injectable } from '@nestjs/common';
import { CALL_COLUMNS, type CallRow } from '../call.entity.js';
import type { OwnedCall } from '../domain/call.js';
import { CANARY_JOIN, VERSION_COLUMNS } from '../calls.repository.js';
import type { VersionedAgent } from '../domain/agent-version.js';
import type { Gate, WaitingCall } from '../domain/claim-plan.js';

/** The agent of an inbound call. */
export interface InboundAgent extends VersionedAgent {
  agent_id: number;
  agent_name: string;
  variables: VariableDeclaration[];
}

/** The called number of an inbound call, with its agent. */
export interface InboundNumber extends InboundAgent {
  account_id: number;
  trunk_id: number;
  number_id: number;
  e164: string;
  hours: NumberHours | null;
  closed: NumberClosed | null;
  closed_agent_id: number | null;
  queue: NumberQueue | null;
}

/** A new inbound call. */
interface InboundCallRow {
  id: string;
  owner: string;
  from: string;
  /** CallSettings as JSON. */
  settings: string;
  /** The version of the agent. */
  version: number | null;
  traceParent?: string;
  /** The caller waits for a free place. */
  isQueued: boolean;
}

/** The limits that decide about an inbound call. */
export interface InboundRoom {
  account_free: boolean;
  trunk_free: boolean;
  funded: boolean;
}

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

/** Separate from the lock: a statement that locks and counts would count in the snapshot from before its wait. */
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

const INBOUND_AGENT_COLUMNS = `ag.id AS agent_id, ag.name AS agent_name, ag.variables,
      ag.post_call_webhook, ag.call_status_webhook, ag.transfer_enabled, ag.transfer_phone_number, ag.transfer_caller_id_number_id, ag.transfer_options,
      ${VERSION_COLUMNS}`;

/**
 * The trunk determines the account. Among several trunks whose accounts have the number, a number that the operator assigned precedes one
 * that a tenant claimed over the API; then the oldest trunk does.
 */
const INBOUND_NUMBER = {
  name: 'inbound-number',
  text: `SELECT n.account_id, t.id AS trunk_id, n.id AS number_id, n.e164, n.hours, n.closed, n.closed_agent_id, n.queue,
      ${INBOUND_AGENT_COLUMNS}
    FROM sip_trunks t
    JOIN phone_numbers n ON n.account_id = t.account_id AND n.e164 = ANY ($2::text[]) AND n.active
    JOIN agents ag ON ag.account_id = t.account_id AND ag.id = n.agent_id AND ag.active
    ${CANARY_JOIN}
    WHERE t.id = ANY ($1::int[]) AND t.active AND (t.inbound_enabled OR t.register IS NOT NULL)
    ORDER BY array_position($2::text[], n.e164), n.assigned_by_operator DESC, t.id LIMIT 1`,
};

const INBOUND_AGENT = {
  name: 'incoming-agent',
  text: `SELECT ${INBOUND_AGENT_COLUMNS} FROM agents ag ${CANARY_JOIN} WHERE ag.account_id = $1 AND ag.id = $2 AND ag.active`,
};

const INBOUND_ROOM = {
  name: 'incoming-room',
  text: `SELECT (SELECT count(*) FROM calls c WHERE c.account_id = a.id AND c.owner IS NOT NULL AND c.ended_at IS NULL)
        < a.concurrent_calls AS account_free,
      t.concurrent_calls IS NULL OR ${TRUNK_LEG_COUNT} < t.concurrent_calls AS trunk_free,
      a.daily_spend_micros IS NULL OR coalesce((SELECT s.micros FROM daily_spend s
        WHERE s.account_id = a.id AND s.day = (now() AT TIME ZONE 'UTC')::date), 0) < a.daily_spend_micros AS funded
    FROM accounts a JOIN sip_trunks t ON t.account_id = a.id AND t.id = $2 WHERE a.id = $1`,
};

/**
 * `started_at` is set from the beginning: the row is never dialled. Callers wait in the order of the database's clock, which is read
 * under the lock. Fails when the agent was deleted meanwhile.
 */
const INSERT_INBOUND = {
  name: 'insert-incoming-call',
  text: `WITH agent AS MATERIALIZED (SELECT id FROM agents WHERE id = $4 FOR KEY SHARE),
    created AS (
      INSERT INTO calls (id, owner, account_id, agent_id, number_id, trunk_id, direction, to_number, from_number, agent_name,
        settings, created_at, started_at, trace_parent, agent_version, queued_at, event_seq, webhook_seq)
      VALUES ($1, $2, $3, (SELECT id FROM agent), $5, $6, 'inbound', $7, $8, $9, $10, $11, $11, $12, $13,
        CASE WHEN $14 THEN clock_timestamp() END, 1, 1) RETURNING *),
    logged AS (
      INSERT INTO call_events (call_id, seq, at, type, data)
      SELECT id, 1, $11, 'status', '{"status": "pending"}' FROM created)
    SELECT ${CALL_COLUMNS} FROM created`,
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

  /** Undefined: no account of the trunks has one of the numbers with an active agent. */
  async inboundNumber(trunkIds: readonly number[], dialled: readonly string[]): Promise<InboundNumber | undefined> {
    const values = [trunkIds, dialled];
    const [number] = await this.database.rows<InboundNumber & Record<string, unknown>>(INBOUND_NUMBER, values);
    return number;
  }

  /** Undefined: the account has no such active agent. */
  async activeAgent(accountId: number, agentId: number, tx?: Sql): Promise<InboundAgent | undefined> {
    const [agent] = await this.database.rows<InboundAgent & Record<string, unknown>>(
      INBOUND_AGENT,
      [accountId, agentId],
      tx,
    );
    return agent;
  }

  async inboundRoom({ account_id, trunk_id }: InboundNumber, tx: Sql): Promise<InboundRoom | undefined> {
    const values = [account_id, trunk_id];
    const [room] = await this.database.rows<InboundRoom & Record<string, unknown>>(INBOUND_ROOM, values, tx);
    return room;
  }

  /** Inserts the call and its first event. */
  async insertInbound(call: InboundCallRow, number: InboundNumber, tx: Sql): Promise<CallRow> {
    const [row] = await this.database.rows<CallRow & Record<string, unknown>>(
      INSERT_INBOUND,
      [
        call.id,
        call.owner,
        number.account_id,
        number.agent_id,
        number.number_id,
        number.trunk_id,
        number.e164,
        call.from,
        number.agent_name,
        call.settings,
        new Date(),
        call.traceParent ?? null,
        call.version,
        call.isQueued,
      ],
      tx,
    );
    if (!row) throw new Error('An incoming call was not stored.');
    return row;
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
