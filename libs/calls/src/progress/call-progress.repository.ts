import type { VariableDeclaration, VariableValue } from '@app/agents';
import { isoTime } from '@app/common';
import { Database, pgText, type Sql } from '@app/database';
import { Injectable } from '@nestjs/common';
import { analyticsInsert } from './analytics-row.repository.js';
import { CALL_COLUMNS, type CallRow } from '../call.entity.js';
import { UNFINISHED } from '../domain/call-command.js';
import type {
  CallAgentOverrides,
  CallEndedBy,
  CallSettings,
  CallStatus,
  CostLine,
  OwnedCall,
  PreCallOutcome,
  TransferRecord,
} from '../domain/call.js';
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
export type EndedCall = CallRow & { has_analysis: boolean };

/** The agent that the pre-call webhook chose for an inbound call. */
export interface ChosenAgent {
  agentId: number;
  agentName: string;
  version: number | null;
  /** Its declarations in that version. */
  variables: VariableDeclaration[];
  /** Replace those of the former agent in the settings of the call. */
  settings: Pick<CallSettings, 'post_call_webhook' | 'call_status_webhook' | 'transfer'>;
}

/** What a pre-call webhook changes in its call; absent: nothing. */
export interface PreCallResult {
  outcome: PreCallOutcome;
  agent?: CallAgentOverrides;
  variables?: Record<string, VariableValue>;
  knowledgeBaseIds?: number[];
  /** Answers instead of the agent of the number. */
  chosen?: ChosenAgent;
}

const LOCK_OWNED = {
  name: 'lock-owned-call',
  text: `SELECT ${CALL_COLUMNS} FROM calls WHERE id = $1 AND owner = $2 AND ended_at IS NULL FOR UPDATE`,
};

const APPLY_STATUS = {
  name: 'apply-call-status',
  text: `WITH changed AS (
      UPDATE calls SET status = $2, event_seq = event_seq + 1, webhook_seq = webhook_seq + 1,
          answered_at = CASE WHEN $2 = 'in_progress' THEN greatest(started_at, $3) ELSE answered_at END
        WHERE id = $1 RETURNING *),
    logged AS (
      INSERT INTO call_events (call_id, seq, type, data)
      SELECT id, event_seq, 'status', jsonb_build_object('status', status) FROM changed)
    SELECT ${CALL_COLUMNS} FROM changed`,
};

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

/** The events of unfinished commands precede the status, which is the last event of a call. */
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
          recording_error = $11, summary = $12, measures = $15, event_seq = event_seq + 1 + (SELECT count(*)::integer FROM unfinished), webhook_seq = webhook_seq + 1
        WHERE id = $1 RETURNING *),
    logged AS (
      INSERT INTO call_events (call_id, seq, type, data)
      SELECT id, event_seq, 'status', jsonb_build_object('status', status, 'hangup_cause', hangup_cause, 'ended_by', ended_by)
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
    SELECT ${CALL_COLUMNS}, EXISTS (SELECT FROM analysed) AS has_analysis FROM ended`,
};

const NEXT_WEBHOOK = {
  name: 'next-webhook-seq',
  text: 'UPDATE calls SET webhook_seq = webhook_seq + 1 WHERE id = $1 RETURNING webhook_seq',
};

/** Serialises the reservations of an account, so that two calls never reserve the same money. */
const LOCK_BUDGET = {
  name: 'spend-lock',
  text: 'SELECT daily_spend_micros FROM accounts WHERE id = $1 FOR NO KEY UPDATE',
};

/** Runs after the lock. Reads reservations of live calls and costs of ended calls in one snapshot: the end of a call moves money from one to the other. */
const COMMITTED_SPEND = {
  name: 'spend-taken',
  text: `SELECT coalesce((SELECT micros FROM daily_spend WHERE account_id = $1 AND day = (now() AT TIME ZONE 'UTC')::date), 0) AS spent,
      coalesce((SELECT sum(reserved_micros) FROM calls
          WHERE account_id = $1 AND owner IS NOT NULL AND ended_at IS NULL AND id <> $2), 0) AS reserved`,
};

const RESERVE = {
  name: 'spend-reserve',
  text: 'UPDATE calls SET reserved_micros = $3 WHERE id = $1 AND owner = $2 AND ended_at IS NULL',
};

/** Returns a call to the queue at its time, with an event. Never one that was dialled or is to be cancelled. */
const POSTPONE = {
  name: 'postpone-call',
  text: `WITH postponed AS (
      UPDATE calls SET owner = NULL, due_at = $3, reserved_micros = NULL, event_seq = event_seq + 1
        WHERE id = $1 AND owner = $2 AND started_at IS NULL AND ended_at IS NULL AND cancel_requested_at IS NULL
        RETURNING id, event_seq)
    INSERT INTO call_events (call_id, seq, type, data) SELECT id, event_seq, 'postponed', $4::jsonb FROM postponed RETURNING seq`,
};

/** Returns a call to the queue of a trunk, whose limits it has not passed yet. Never one that was dialled or is to be cancelled. */
const REROUTE = {
  name: 'reroute-call',
  text: `UPDATE calls SET owner = NULL, trunk_id = $3, reserved_micros = NULL
    WHERE id = $1 AND owner = $2 AND trunk_id IS NULL AND started_at IS NULL AND ended_at IS NULL AND cancel_requested_at IS NULL
    RETURNING id`,
};

const RECORD_TRANSFERS = {
  name: 'record-transfers',
  text: `UPDATE calls SET transfers = $3, transfer_trunk_id = CASE WHEN $4 THEN transfer_trunk_id END
    WHERE id = $1 AND owner = $2 AND ended_at IS NULL`,
};

/**
 * Values and overrides of the answer are merged over those of the request. A chosen agent replaces the agent of the call and its webhooks;
 * nothing is written when it was deleted meanwhile.
 */
const STORE_PRE_CALL = {
  name: 'store-pre-call',
  text: `WITH chosen AS MATERIALIZED (SELECT id FROM agents WHERE id = $7 FOR KEY SHARE)
      UPDATE calls SET agent_id = coalesce($7, agent_id), agent_name = coalesce($8, agent_name),
        agent_version = CASE WHEN $7::integer IS NULL THEN agent_version ELSE $9 END,
        settings = CASE WHEN $10::jsonb IS NULL THEN settings
            ELSE settings - '{post_call_webhook,call_status_webhook,transfer}'::text[] || $10::jsonb END
          || jsonb_build_object('pre_call', $3::jsonb)
          || CASE WHEN $4::jsonb IS NULL THEN '{}' ELSE jsonb_build_object('agent', coalesce(settings->'agent', '{}') || $4::jsonb) END,
        variables = CASE WHEN $5::jsonb IS NULL THEN variables ELSE coalesce(variables, '{}') || $5::jsonb END,
        knowledge_base_ids = coalesce($6, knowledge_base_ids)
      WHERE id = $1 AND owner = $2 AND ended_at IS NULL AND ($7::integer IS NULL OR EXISTS (SELECT FROM chosen)) RETURNING id`,
};

/** The changes of live calls. Prepared: each call of a dialer runs them. */
@Injectable()
export class CallProgressRepository {
  constructor(private readonly database: Database) {}

  /** Undefined: the call belongs to another dialer or has ended. */
  async lockOwned({ id, owner }: OwnedCall, tx: Sql): Promise<CallRow | undefined> {
    const [row] = await this.database.rows<CallRow>(LOCK_OWNED, [id, owner], tx);
    return row;
  }

  /** Stores the new status and its event. */
  async applyStatus(callId: string, status: CallStatus, at: Date, tx: Sql): Promise<CallRow | undefined> {
    const [row] = await this.database.rows<CallRow>(APPLY_STATUS, [callId, status, at], tx);
    return row;
  }

  /** Stores the end of the call with its event and its bill, and adds the cost to the account's daily spend. */
  async end(callId: string, status: CallStatus, ending: CallEnding, tx: Sql): Promise<EndedCall | undefined> {
    const { costs, recording } = ending;
    const values = [
      callId,
      status,
      ending.cause,
      ending.endedBy,
      ending.sipCode ?? null,
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
    ];
    const [row] = await this.database.rows<EndedCall>(END, values, tx);
    return row;
  }

  async nextWebhookSequence(callId: string, tx: Sql): Promise<number | undefined> {
    const [row] = await this.database.rows<{ webhook_seq: number }>(NEXT_WEBHOOK, [callId], tx);
    return row?.webhook_seq;
  }

  /** The daily limit in micro-USD, locked; null: no limit. */
  async lockBudget(accountId: number, tx: Sql): Promise<number | null> {
    const [account] = await this.database.rows<{ daily_spend_micros: string | null }>(LOCK_BUDGET, [accountId], tx);
    const micros = account?.daily_spend_micros ?? null;
    return micros === null ? null : Number(micros);
  }

  /** Micro-USD that the account has spent today, and the reservations of its other live calls. */
  async committedSpend(accountId: number, callId: string, tx: Sql): Promise<{ spent: number; reserved: number }> {
    const values = [accountId, callId];
    const [found] = await this.database.rows<{ spent: string; reserved: string }>(COMMITTED_SPEND, values, tx);
    return { spent: Number(found?.spent ?? 0), reserved: Number(found?.reserved ?? 0) };
  }

  async reserve({ id, owner }: OwnedCall, micros: number, tx: Sql): Promise<void> {
    await this.database.rows(RESERVE, [id, owner, micros], tx);
  }

  /** False: the call was cancelled, was already dialled, or belongs to another dialer. */
  async reroute({ id, owner }: OwnedCall, trunkId: number): Promise<boolean> {
    return (await this.database.rows(REROUTE, [id, owner, trunkId])).length > 0;
  }

  /** False: the call was cancelled, was already dialled, or belongs to another dialer. */
  async postpone({ id, owner }: OwnedCall, until: Date): Promise<boolean> {
    const data = JSON.stringify({ reason: 'outside_window', scheduled_for: isoTime(until) });
    return (await this.database.rows(POSTPONE, [id, owner, until, data])).length > 0;
  }

  /** False: the call belongs to another dialer or has ended. */
  async storePreCall({ id, owner }: OwnedCall, result: PreCallResult, tx: Sql): Promise<boolean> {
    const { outcome, agent, variables, knowledgeBaseIds, chosen } = result;
    const json = (value: object | undefined): string | null => (value === undefined ? null : JSON.stringify(value));
    const ofChosen = [
      chosen?.agentId ?? null,
      chosen?.agentName ?? null,
      chosen?.version ?? null,
      json(chosen?.settings),
    ];
    const ofAnswer = [json(outcome), json(agent), json(variables), knowledgeBaseIds ?? null];
    const values = [id, owner, ...ofAnswer, ...ofChosen];
    return (await this.database.rows(STORE_PRE_CALL, values, tx)).length > 0;
  }

  /** `isLive`: the last transfer is still connected and occupies the trunk. */
  async recordTransfers(
    { id, owner }: OwnedCall,
    transfers: readonly TransferRecord[],
    isLive: boolean,
  ): Promise<void> {
    await this.database.rows(RECORD_TRANSFERS, [id, owner, JSON.stringify(transfers), isLive]);
  }
}
