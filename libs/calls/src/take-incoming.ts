import { TRUNK_LEG_COUNT } from '@app/accounts';
import type { Encryption } from '@app/common';
import { inTransaction, rows, type Sql } from '@app/database';
import { deliveryRecord, writeDeliveries } from '@app/webhooks';
import type { Pool } from 'pg';
import { CALL_COLUMNS, type CallRow } from './call-row.js';
import { type AgentSettings, settingsFor } from './call-settings.js';
import type { Links } from './call-view.js';
import { type CallEnding, endCall } from './finish.js';
import { statusEvent } from './transition.js';

/** A call that has come in over a known trunk. */
export interface IncomingOrder {
  id: string;
  /** The dialer that has the line. */
  owner: string;
  /** Trunks it may have come over: several when accounts share a carrier. */
  trunkIds: readonly number[];
  /** E.164, the likeliest first. */
  dialled: readonly string[];
  from: string;
  /** Of the span that it came in with; absent when nothing is traced. */
  traceParent?: string;
}

export type Taken =
  | { kind: 'taken' }
  /** No number of these trunks' accounts, or one that nobody answers. Nothing was written. */
  | { kind: 'unknown' }
  /** Recorded as a call that was refused. */
  | { kind: 'refused'; call: CallRow };

export interface IncomingParts {
  pool: Pool;
  encryption: Encryption;
  links: Links;
}

interface Line extends AgentSettings {
  account_id: number;
  trunk_id: number;
  number_id: number;
  e164: string;
  agent_id: number;
  agent_name: string;
}

/** The trunk decides the account; of several that have the number, the oldest trunk. */
const LINE = {
  name: 'incoming-line',
  text: `SELECT n.account_id, t.id AS trunk_id, n.id AS number_id, n.e164, a.id AS agent_id, a.name AS agent_name,
      a.post_call_webhook, a.call_status_webhook, a.transfer_enabled, a.transfer_phone_number, a.transfer_caller_id_number_id
    FROM sip_trunks t
    JOIN phone_numbers n ON n.account_id = t.account_id AND n.e164 = ANY ($2::text[]) AND n.active
    JOIN agents a ON a.account_id = t.account_id AND a.id = n.agent_id AND a.active
    WHERE t.id = ANY ($1::int[]) AND t.active AND t.inbound_enabled
    ORDER BY array_position($2::text[], n.e164), t.id LIMIT 1`,
};

/** The same row that claims of waiting calls lock: the limits of an account are decided one call at a time. */
const LOCK_ACCOUNT = {
  name: 'incoming-lock-account',
  text: 'SELECT 1 FROM dial_gates WHERE account_id = $1 FOR UPDATE',
};

const ROOM = {
  name: 'incoming-room',
  text: `SELECT (SELECT count(*) FROM calls c WHERE c.account_id = a.id AND c.owner IS NOT NULL AND c.ended_at IS NULL)
        < a.concurrent_calls AS account_free,
      t.concurrent_calls IS NULL OR ${TRUNK_LEG_COUNT} < t.concurrent_calls AS trunk_free,
      a.daily_spend_micros IS NULL OR coalesce((SELECT s.micros FROM daily_spend s
        WHERE s.account_id = a.id AND s.day = (now() AT TIME ZONE 'UTC')::date), 0) < a.daily_spend_micros AS funded
    FROM accounts a JOIN sip_trunks t ON t.account_id = a.id AND t.id = $2 WHERE a.id = $1`,
};

interface Room {
  account_free: boolean;
  trunk_free: boolean;
  funded: boolean;
}

/** `started_at` from the start: nobody ever dials this row. */
const INSERT = {
  name: 'insert-incoming-call',
  text: `WITH created AS (
      INSERT INTO calls (id, owner, account_id, agent_id, number_id, trunk_id, direction, to_number, from_number, agent_name,
        settings, created_at, started_at, trace_parent, event_seq, webhook_seq)
      VALUES ($1, $2, $3, $4, $5, $6, 'inbound', $7, $8, $9, $10, $11, $11, $12, 1, 1) RETURNING *),
    logged AS (
      INSERT INTO call_events (call_id, seq, at, type, data)
      SELECT id, 1, $11, 'status', '{"status": "pending"}' FROM created)
    SELECT ${CALL_COLUMNS} FROM created`,
};

/**
 * Writes down a call that comes in, its first event and its first webhook, as the call of `owner`. One that exceeds the limits
 * of the account or the trunk is written down too, with its end: somebody called and got the busy tone.
 */
export async function takeIncoming(parts: IncomingParts, order: IncomingOrder): Promise<Taken> {
  if (order.dialled.length === 0) return { kind: 'unknown' };
  const [line] = await rows<Line & Record<string, unknown>>(parts.pool, LINE, [order.trunkIds, order.dialled]);
  if (!line) return { kind: 'unknown' };
  return inTransaction(parts.pool, async (sql) => {
    await sql.query('INSERT INTO dial_gates (account_id) VALUES ($1) ON CONFLICT DO NOTHING', [line.account_id]);
    await rows(sql, LOCK_ACCOUNT, [line.account_id]);
    const [room] = await rows<Room & Record<string, unknown>>(sql, ROOM, [line.account_id, line.trunk_id]);
    const row = await insert(sql, parts, order, line);
    const refusal = room && refusalOf(room);
    if (!refusal) return { kind: 'taken' };
    const ended = await endCall(sql, row, { ...refusal, at: row.created_at }, parts.links);
    return { kind: 'refused', call: ended ?? row };
  });
}

function refusalOf(room: Room): Pick<CallEnding, 'change' | 'cause' | 'endedBy' | 'sipCode'> | undefined {
  if (!room.funded) return { change: 'failed', cause: 'spend_limit', endedBy: 'system', sipCode: 480 };
  if (room.account_free && room.trunk_free) return undefined;
  return { change: 'busy', cause: 'concurrency_limit', endedBy: 'system', sipCode: 486 };
}

async function insert(sql: Sql, { encryption }: IncomingParts, order: IncomingOrder, line: Line): Promise<CallRow> {
  const settings = settingsFor(line, { postCallWebhook: {}, callStatusWebhook: {}, transfer: {} }, encryption);
  const [row] = await rows<CallRow & Record<string, unknown>>(sql, INSERT, [
    order.id,
    order.owner,
    line.account_id,
    line.agent_id,
    line.number_id,
    line.trunk_id,
    line.e164,
    order.from,
    line.agent_name,
    JSON.stringify(settings),
    new Date(),
    order.traceParent ?? null,
  ]);
  if (!row) throw new Error('An incoming call was not stored.');
  const target = row.settings.call_status_webhook;
  if (target) await writeDeliveries(sql, [deliveryRecord(statusEvent(row, target, row.created_at))]);
  return row;
}
