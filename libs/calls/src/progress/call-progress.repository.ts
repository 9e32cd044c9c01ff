import type { VariableDeclaration, VariableValue } from '@app/agents';
import { isoTime } from '@app/common';
import { Database, type Sql } from '@app/database';
import { Injectable } from '@nestjs/common';
import { CALL_COLUMNS, type CallRow, type CallWithFlow } from '../call.entity.js';
import type {
  CallAgentOverrides,
  CallSettings,
  CallStatus,
  OwnedCall,
  PreCallOutcome,
  TransferRecord,
} from '../domain/call.js';

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
    SELECT ${CALL_COLUMNS}, flow FROM changed`,
};

const NEXT_WEBHOOK = {
  name: 'next-webhook-seq',
  text: 'UPDATE calls SET webhook_seq = webhook_seq + 1 WHERE id = $1 RETURNING webhook_seq',
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
 * the transaction has made sure that it exists.
 */
const STORE_PRE_CALL = {
  name: 'store-pre-call',
  text: `UPDATE calls SET agent_id = coalesce($7, agent_id), agent_name = coalesce($8, agent_name),
        agent_version = CASE WHEN $7::integer IS NULL THEN agent_version ELSE $9 END,
        settings = CASE WHEN $10::jsonb IS NULL THEN settings
            ELSE settings - '{post_call_webhook,call_status_webhook,transfer}'::text[] || $10::jsonb END
          || jsonb_build_object('pre_call', $3::jsonb)
          || CASE WHEN $4::jsonb IS NULL THEN '{}' ELSE jsonb_build_object('agent', coalesce(settings->'agent', '{}') || $4::jsonb) END,
        variables = CASE WHEN $5::jsonb IS NULL THEN variables ELSE coalesce(variables, '{}') || $5::jsonb END,
        knowledge_base_ids = coalesce($6, knowledge_base_ids)
      WHERE id = $1 AND owner = $2 AND ended_at IS NULL RETURNING id`,
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
  async applyStatus(callId: string, status: CallStatus, at: Date, tx: Sql): Promise<CallWithFlow | undefined> {
    const [row] = await this.database.rows<CallWithFlow>(APPLY_STATUS, [callId, status, at], tx);
    return row;
  }

  async nextWebhookSequence(callId: string, tx: Sql): Promise<number | undefined> {
    const [row] = await this.database.rows<{ webhook_seq: number }>(NEXT_WEBHOOK, [callId], tx);
    return row?.webhook_seq;
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
