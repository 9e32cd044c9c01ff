import { type NumberClosed, type NumberHours, type NumberQueue, TRUNK_LEG_COUNT } from '@app/accounts';
import type { VariableDeclaration, VariableValue } from '@app/agents';
import { Database, type Sql } from '@app/database';
import { Injectable } from '@nestjs/common';
import { CALL_COLUMNS, type CallRow } from '../call.entity.js';
import { CANARY_JOIN, VERSION_COLUMNS } from '../call-creation.repository.js';
import type { VersionedAgent } from '../domain/agent-version.js';

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
  /** Of the trunk: header -> name of its value in the call. */
  inbound_headers: Record<string, string> | null;
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
  metadata: object | null;
  variables: Record<string, VariableValue> | null;
}

/** The limits that decide about an inbound call. */
export interface InboundRoom {
  account_free: boolean;
  trunk_free: boolean;
  funded: boolean;
}

const INBOUND_AGENT_COLUMNS = `ag.id AS agent_id, ag.name AS agent_name, ag.variables,
      ag.post_call_webhook, ag.call_status_webhook, ag.transfer_enabled, ag.transfer_phone_number, ag.transfer_caller_id_number_id, ag.transfer_options,
      ${VERSION_COLUMNS}`;

/**
 * The trunk determines the account. Tables: sip_trunks and phone_numbers of libs/accounts, agents and agent_versions of libs/agents. An
 * INVITE waits for it. Among several trunks whose accounts have the number, a number that the operator assigned precedes one
 * that a tenant claimed over the API; then the oldest trunk does.
 */
const INBOUND_NUMBER = {
  name: 'inbound-number',
  text: `SELECT n.account_id, t.id AS trunk_id, n.id AS number_id, n.e164, n.hours, n.closed, n.closed_agent_id, n.queue,
      t.inbound_headers,
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

/** Tables: calls, daily_spend; accounts and sip_trunks of libs/accounts. It runs under the lock of the account, while an INVITE waits. */
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
        settings, created_at, started_at, trace_parent, agent_version, queued_at, event_seq, webhook_seq, metadata, variables)
      VALUES ($1, $2, $3, (SELECT id FROM agent), $5, $6, 'inbound', $7, $8, $9, $10, $11, $11, $12, $13,
        CASE WHEN $14 THEN clock_timestamp() END, 1, 1, $15, $16) RETURNING *),
    logged AS (
      INSERT INTO call_events (call_id, seq, at, type, data)
      SELECT id, 1, $11, 'status', '{"status": "pending"}' FROM created)
    SELECT ${CALL_COLUMNS} FROM created`,
};

/** Finds the agent of an inbound call, and admits the call. Prepared: a caller waits. */
@Injectable()
export class InboundCallsRepository {
  constructor(private readonly database: Database) {}

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
        call.metadata && JSON.stringify(call.metadata),
        call.variables && JSON.stringify(call.variables),
      ],
      tx,
    );
    if (!row) throw new Error('An incoming call was not stored.');
    return row;
  }
}
