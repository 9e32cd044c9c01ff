import { Database, pgText, type Sql } from '@app/database';
import { Injectable } from '@nestjs/common';
import { analyticsInsert } from './analytics-row.repository.js';
import { CALL_COLUMNS, type CallWithFlow } from '../call.entity.js';
import { UNFINISHED } from '../domain/call-command.js';
import { callFailure } from '../domain/call-failure.js';
import type { CallEndedBy, CallStatus, CostLine } from '../domain/call.js';
import type { CallMeasures } from '../domain/call-measures.js';
import type { FinalChange } from '../domain/call-state.js';
import type { MediaQuality } from '../presenters/diagnostics.presenter.js';

/** How a call ended. Only completed calls have costs; a recording is stored before this is written. */
export interface CallEnding {
  change: FinalChange;
  at: Date;
  cause: string;
  endedBy: CallEndedBy;
  sipCode?: number;
  /** What was missing, or what a vendor answered, as a sentence. */
  failureReason?: string;
  costs?: { lines: CostLine[]; costMicros: number; realtimeCostMicros: number };
  recording?: { key: string; bytes: number; durationMs: number };
  /** Why the recording is missing or incomplete. */
  recordingError?: string;
  summary?: string;
  /** Quality of an answered call; absent or null: there was no audio. */
  mediaQuality?: MediaQuality | null;
  /** Of an answered call. */
  measures?: CallMeasures;
}

/** `has_analysis`: an analysis of the call is queued. */
export type EndedCall = CallWithFlow & { has_analysis: boolean };

const { callEnded, dialerLost, unknown } = UNFINISHED;

/** An answered call of an agent with an analysis: a worker of libs/call-analysis takes the row. Only the version of the call counts. */
const PENDING_ANALYSIS = `analysed AS (
      INSERT INTO call_analyses (id, account_id, call_id, version, settings)
      SELECT gen_random_uuid(), e.account_id, e.id, 1, asked.analysis
        FROM ended e JOIN LATERAL (
          SELECT CASE WHEN v.settings IS NULL THEN a.analysis ELSE nullif(v.settings -> 'analysis', 'null') END AS analysis
            FROM agents a LEFT JOIN agent_versions v ON v.agent_id = a.id AND v.version = e.agent_version
           WHERE a.id = e.agent_id) asked ON asked.analysis IS NOT NULL
       WHERE e.answered_at IS NOT NULL
      ON CONFLICT DO NOTHING RETURNING 1)`;

/**
 * The events of unfinished commands precede the status, which is the last event of a call. Tables: calls, call_commands, call_events,
 * call_usage, daily_spend; call_analyses of libs/call-analysis, agents and agent_versions of libs/agents, and analytics_calls of
 * libs/analytics. Statements of the owners in the same transaction take 1.5 times as long, and the whole transaction 1.2 to 1.3 times.
 */
const END = {
  name: 'end-call',
  text: `WITH unfinished AS (
      UPDATE call_commands k SET status = CASE k.status WHEN 'pending' THEN 'not_executed' ELSE 'failed' END, finished_at = now(),
          input_sealed = NULL,
          error_code = CASE WHEN k.status = 'running' THEN '${unknown.code}'
            WHEN $3 = 'worker_lost' THEN '${dialerLost.code}' ELSE '${callEnded.code}' END,
          error_message = CASE WHEN k.status = 'running' THEN '${unknown.message}'
            WHEN $3 = 'worker_lost' THEN '${dialerLost.message}' ELSE '${callEnded.message}' END
        WHERE k.call_id = $1 AND k.status IN ('pending', 'running')
        RETURNING k.id, k.seq, k.type, k.status, k.error_code, k.error_message),
    ended AS (
      UPDATE calls SET status = $2, due_at = NULL, ended_at = greatest(answered_at, started_at, created_at, $14), hangup_cause = $3, ended_by = $4, sip_code = $5,
          cost_micros = $6, realtime_cost_micros = $7, recording_key = $8, recording_bytes = $9, recording_ms = $10,
          recording_error = $11, summary = $12, measures = $15, failure_reason = $16, event_seq = event_seq + 1 + (SELECT count(*)::integer FROM unfinished), webhook_seq = webhook_seq + 1
        WHERE id = $1 RETURNING *),
    logged AS (
      INSERT INTO call_events (call_id, seq, type, data)
      SELECT id, event_seq, 'status', jsonb_build_object('status', status, 'hangup_cause', hangup_cause, 'ended_by', ended_by, 'failure', $17::jsonb)
        FROM ended
      UNION ALL
      SELECT c.id, c.event_seq - 1 - u.total + u.place, 'command_' || u.status, jsonb_build_object(
          'command_id', u.id, 'command_type', u.type, 'code', u.error_code, 'message', u.error_message)
        FROM ended c, (SELECT *, count(*) OVER ()::integer AS total, row_number() OVER (ORDER BY seq)::integer AS place FROM unfinished) u),
    billed AS (
      INSERT INTO call_usage (call_id, line, kind, description, quantity, unit, unit_price_micros, amount_micros, price_book)
      SELECT $1, u.n, u.kind, u.description, u.quantity, u.unit, u.unit_price_micros, u.amount_micros, u.price_book
        FROM ROWS FROM (jsonb_to_recordset($13::jsonb) AS (kind text, description text, quantity numeric, unit text,
            unit_price_micros bigint, amount_micros bigint, price_book text)) WITH ORDINALITY
          AS u (kind, description, quantity, unit, unit_price_micros, amount_micros, price_book, n)),
    spent AS (
      INSERT INTO daily_spend (account_id, day, micros)
      SELECT account_id, (now() AT TIME ZONE 'UTC')::date, cost_micros FROM ended WHERE cost_micros > 0
      ON CONFLICT (account_id, day) DO UPDATE SET micros = daily_spend.micros + excluded.micros),
    ${PENDING_ANALYSIS},
    counted AS (${analyticsInsert('ended')})
    SELECT ${CALL_COLUMNS}, flow, EXISTS (SELECT FROM analysed) AS has_analysis FROM ended`,
};

/** The end of a call. Prepared: each call runs it. */
@Injectable()
export class CallEndRepository {
  constructor(private readonly database: Database) {}

  /** Stores the end of the call with its event and its bill, and adds the cost to the account's daily spend. */
  async end(callId: string, status: CallStatus, ending: CallEnding, tx: Sql): Promise<EndedCall | undefined> {
    const { costs, recording, cause, sipCode = null } = ending;
    const reason = ending.failureReason === undefined ? null : pgText(ending.failureReason);
    const failure = callFailure({ status, hangup_cause: cause, sip_code: sipCode, failure_reason: reason });
    const values = [
      callId,
      status,
      cause,
      ending.endedBy,
      sipCode,
      costs?.costMicros ?? null,
      costs?.realtimeCostMicros ?? null,
      recording?.key ?? null,
      recording?.bytes ?? null,
      recording?.durationMs ?? null,
      ending.recordingError ?? null,
      ending.summary === undefined ? null : pgText(ending.summary),
      JSON.stringify(costs?.lines ?? []),
      ending.at,
      ending.measures === undefined ? null : JSON.stringify(ending.measures),
      reason,
      failure && JSON.stringify(failure),
    ];
    const [row] = await this.database.rows<EndedCall>(END, values, tx);
    return row;
  }
}
