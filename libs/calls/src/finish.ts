import { type CallEndedBy, inTransaction, rows, type Sql, pgText } from '@app/database';
import { deliveryRecord, writeDeliveries } from '@app/webhooks';
import type { Pool } from 'pg';
import { conversationOf } from './call-events.js';
import { CALL_COLUMNS, type CallRow } from './call-row.js';
import { type CallChange, nextState } from './call-state.js';
import { postCallData, type Links, WEEK } from './call-view.js';
import type { MediaQuality } from './diagnostics-view.js';
import { announceStatus, lockOwned, type OwnedCall } from './transition.js';

export type FinalChange = Exclude<CallChange, 'ringing' | 'answered'>;

/** One line of the bill; the lines of a call add up to its cost exactly. */
export interface CostLine {
  kind: string;
  description: string;
  quantity: number;
  unit: string;
  unit_price_micros: number;
  amount_micros: number;
  price_book: string;
}

/** How a call ended. Costs only of completed calls; a recording is stored before this is written. */
export interface CallEnding {
  change: FinalChange;
  at: Date;
  cause: string;
  endedBy: CallEndedBy;
  sipCode?: number;
  costs?: { lines: CostLine[]; costMicros: number; realtimeCostMicros: number };
  recording?: { key: string; bytes: number; durationMs: number };
  /** Why there is no recording, or not all of it. */
  recordingError?: string;
  summary?: string;
  /** Of an answered call; absent or null: there was no audio. */
  mediaQuality?: MediaQuality | null;
}

const END = {
  name: 'end-call',
  text: `WITH ended AS (
      UPDATE calls SET status = $2, ended_at = greatest(answered_at, started_at, created_at, $14), hangup_cause = $3, ended_by = $4, sip_code = $5,
          cost_micros = $6, realtime_cost_micros = $7, recording_key = $8, recording_bytes = $9, recording_ms = $10,
          recording_error = $11, summary = $12, event_seq = event_seq + 1, webhook_seq = webhook_seq + 1
        WHERE id = $1 RETURNING *),
    logged AS (
      INSERT INTO call_events (call_id, seq, type, data)
      SELECT id, event_seq, 'status', jsonb_build_object('status', status, 'hangup_cause', hangup_cause, 'ended_by', ended_by)
        FROM ended),
    billed AS (
      INSERT INTO call_usage (call_id, line, kind, description, quantity, unit, unit_price_micros, amount_micros, price_book)
      SELECT $1, u.n, u.kind, u.description, u.quantity, u.unit, u.unit_price_micros, u.amount_micros, u.price_book
        FROM ROWS FROM (jsonb_to_recordset($13::jsonb) AS (kind text, description text, quantity numeric, unit text,
            unit_price_micros bigint, amount_micros bigint, price_book text)) WITH ORDINALITY
          AS u (kind, description, quantity, unit, unit_price_micros, amount_micros, price_book, n)),
    spent AS (
      INSERT INTO daily_spend (account_id, day, micros)
      SELECT account_id, (now() AT TIME ZONE 'UTC')::date, cost_micros FROM ended WHERE cost_micros > 0
      ON CONFLICT (account_id, day) DO UPDATE SET micros = daily_spend.micros + excluded.micros)
    SELECT ${CALL_COLUMNS} FROM ended`,
};

/**
 * Ends a live call: its final state, bill, last status webhook and the one post-call webhook are one transaction.
 * Undefined: the call is not this dialer's any more, or has ended already; nothing was written.
 */
export async function finishCall(
  pool: Pool,
  call: OwnedCall,
  ending: CallEnding,
  links: Links,
): Promise<CallRow | undefined> {
  return inTransaction(pool, async (sql) => {
    const before = await lockOwned(sql, call);
    return before && endCall(sql, before, ending, links);
  });
}

/** The same for a row that the caller has locked. */
export async function endCall(
  sql: Sql,
  before: CallRow,
  ending: CallEnding,
  links: Links,
): Promise<CallRow | undefined> {
  const status = nextState(before.status, ending.change);
  if (!status) return undefined;
  const summary = ending.summary === undefined ? null : pgText(ending.summary);
  const billed = status === 'completed' ? ending.costs : undefined;
  const [row] = await rows<CallRow>(sql, END, [
    before.id,
    status,
    ending.cause,
    ending.endedBy,
    ending.sipCode ?? null,
    billed?.costMicros ?? null,
    billed?.realtimeCostMicros ?? null,
    ending.recording?.key ?? null,
    ending.recording?.bytes ?? null,
    ending.recording?.durationMs ?? null,
    ending.recordingError ?? null,
    summary,
    JSON.stringify(billed?.lines ?? []),
    ending.at,
  ]);
  if (!row) return undefined;
  await announceStatus(sql, row, row.ended_at ?? ending.at);
  await announceEnd(
    sql,
    row,
    { summary, costs: billed?.lines ?? [], mediaQuality: ending.mediaQuality ?? null },
    links,
  );
  return row;
}

async function announceEnd(
  sql: Sql,
  row: CallRow,
  results: { summary: string | null; costs: CostLine[]; mediaQuality: MediaQuality | null },
  links: Links,
): Promise<void> {
  const target = row.settings.post_call_webhook;
  if (!target) return;
  const [numbered] = await rows<{ webhook_seq: number }>(
    sql,
    {
      name: 'next-webhook-seq',
      text: 'UPDATE calls SET webhook_seq = webhook_seq + 1 WHERE id = $1 RETURNING webhook_seq',
    },
    [row.id],
  );
  const event = {
    accountId: row.account_id,
    callId: row.id,
    type: 'post-call' as const,
    event: 'ended' as const,
    sequence: numbered?.webhook_seq ?? row.webhook_seq + 1,
    createdAt: row.ended_at ?? new Date(),
    target,
    data: postCallData(row, { ...results, ...(await conversationOf(sql, row.id)) }, links),
    transcriptUrl: links.transcript(row, WEEK),
  };
  await writeDeliveries(sql, [deliveryRecord(event)]);
}
