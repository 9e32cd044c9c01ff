import {
  Batches,
  Database,
  faultOf,
  type IdempotencyKey,
  keptAnswerJoin,
  keyedCte,
  NOT_NULL_VIOLATION,
  type Query,
  type Sql,
} from '@app/database';
import { type DeliveryRecord, outboxCte } from '@app/webhooks';
import { Injectable } from '@nestjs/common';
import type { CallRow } from './call.entity.js';
import { type CallReferences, type CreateCallsCommand, requestedKnowledge } from './domain/create-calls-command.js';
import type { QueueLength } from './domain/queue-lengths.js';
import type { toReducedCallView } from './presenters/call.presenter.js';

/*
 * The creation of calls reads once and writes once, because each is a round trip of every request: the account with its spend, the agent
 * with its canary, number, trunk, knowledge bases, tools and the idempotency key; then calls, events, deliveries and the key.
 * Tables of others: accounts, phone_numbers, sip_trunks (libs/accounts), agents, agent_versions (libs/agents), knowledge_bases,
 * knowledge_base_agents (libs/knowledge), tools (libs/tools), and those of the fragments of libs/database and libs/webhooks.
 */

export type ReducedCallView = ReturnType<typeof toReducedCallView>;

/** A new call. */
export interface NewCallRow extends CallRow {
  trace_parent: string | null;
}

/** The calls of one request. */
interface CallCreation {
  calls: NewCalls;
  key?: IdempotencyKey;
}

/** New calls with the response of the request and their first webhooks. */
export interface NewCalls {
  rows: NewCallRow[];
  views: ReducedCallView[];
  deliveries: DeliveryRecord[];
}

/** The columns of VersionedAgent beside those of the current version `ag`. Long texts of the canary are not needed before the dialling. */
export const VERSION_COLUMNS = `ag.version AS agent_version, ag.canary_version, ag.canary_percent,
      cv.settings - '{instructions,provider_options}'::text[] AS canary_settings`;

/** The canary of the agent `ag`. */
export const CANARY_JOIN = 'LEFT JOIN agent_versions cv ON cv.agent_id = ag.id AND cv.version = ag.canary_version';

/** One row: the account with the records that the command names. One statement, because it is read before every creation. */
const REFERENCES = {
  name: 'call-references',
  text: `SELECT ag.name AS agent_name, ag.active AS agent_active, ag.variables AS agent_variables, ag.post_call_webhook, ag.call_status_webhook,
      coalesce(ag.transfer_enabled, false) AS transfer_enabled, ag.transfer_phone_number, ag.transfer_caller_id_number_id, ag.transfer_options,
      ${VERSION_COLUMNS}, ag.provider, CASE WHEN ag.provider <> 'sandbox' THEN ag.provider_options - 'script' END AS provider_options,
      n.e164 AS from_number, n.active AS number_active, t.active AS trunk_active, t.dial_formats, c.active AS caller_id_active,
      a.destinations_allow AS allow, a.destinations_deny AS deny, a.daily_spend_micros, s.micros AS spent_micros,
      (date_trunc('day', now() AT TIME ZONE 'UTC') + interval '1 day') AT TIME ZONE 'UTC' AS resets_at,
      EXISTS (SELECT FROM do_not_call_lists l WHERE l.account_id = $1) AS has_do_not_call,
      a.queued_calls, k.request_hash, k.response #>> '{}' AS response,
      CASE WHEN $7::integer[] IS NOT NULL THEN (SELECT jsonb_object_agg(b.id, b.is_active)
        FROM knowledge_base_agents l JOIN knowledge_bases b ON b.id = l.knowledge_base_id
        WHERE l.account_id = $1 AND l.agent_id = $2 AND l.knowledge_base_id = ANY ($7)) END AS knowledge_bases,
      CASE WHEN $8::integer[] IS NOT NULL THEN (SELECT jsonb_object_agg(u.id, u.is_active)
        FROM tool_agents l JOIN tools u ON u.id = l.tool_id
        WHERE l.account_id = $1 AND l.agent_id = $2 AND l.tool_id = ANY ($8)) END AS tools
    FROM accounts a
    LEFT JOIN agents ag ON ag.account_id = a.id AND ag.id = $2
    ${CANARY_JOIN}
    LEFT JOIN phone_numbers n ON n.account_id = a.id AND n.id = $3::integer
    LEFT JOIN sip_trunks t ON t.account_id = a.id AND t.id = $4::integer
    LEFT JOIN phone_numbers c ON c.account_id = a.id AND c.id = $5::integer
    LEFT JOIN daily_spend s ON s.account_id = a.id AND s.day = (now() AT TIME ZONE 'UTC')::date
    ${keptAnswerJoin('$6')}
    WHERE a.id = $1`,
};

/** The columns of a new call with their types. A field that `POST /calls` stores is added to the entity and here. */
const COLUMNS = {
  id: 'uuid',
  account_id: 'integer',
  agent_id: 'integer',
  agent_name: 'text',
  agent_version: 'integer',
  number_id: 'integer',
  trunk_id: 'integer',
  direction: 'text',
  channel: 'text',
  to_number: 'text',
  from_number: 'text',
  record: 'boolean',
  metadata: 'jsonb',
  variables: 'jsonb',
  knowledge_base_ids: 'integer[]',
  settings: 'jsonb',
  created_at: 'timestamptz',
  due_at: 'timestamptz',
  started_at: 'timestamptz',
  trace_parent: 'text',
  campaign_id: 'integer',
  contact_id: 'uuid',
} as const satisfies Partial<Record<keyof NewCallRow, string>>;

type Column = keyof typeof COLUMNS;
const NAMES = Object.keys(COLUMNS) as Column[];

/**
 * Calls of several requests, their first events, their deliveries and the idempotency keys in one statement: one round trip, all or nothing,
 * but without the calls of requests whose key another request holds. A concurrent request with the same key waits until this one commits.
 * The lock keeps the agents until the commit: calls have no foreign key to them, because they outlive them. The statement fails when an agent
 * was deleted or deactivated meanwhile, because `agent_id` must not be null. Rows are JSON, which PostgreSQL reads faster than a parameter per
 * column (a call .83 instead of .97 ms; sixteen of them .30 ms each).
 */
const CREATE = {
  name: 'create-calls',
  text: `WITH asked AS MATERIALIZED (
      SELECT * FROM jsonb_to_recordset($2::jsonb) AS c(key text, ${NAMES.map((name) => `${name} ${COLUMNS[name]}`).join(', ')})),
    ${keyedCte('$1')},
    agent AS MATERIALIZED (
      SELECT id FROM agents WHERE id IN (SELECT agent_id FROM asked) AND active ORDER BY id FOR KEY SHARE),
    created AS (
      INSERT INTO calls (${NAMES.join(', ')}, event_seq, webhook_seq)
      SELECT ${NAMES.map((name) => (name === 'agent_id' ? '(SELECT g.id FROM agent g WHERE g.id = c.agent_id)' : `c.${name}`)).join(', ')}, 1, 1
        FROM asked c WHERE c.key IS NULL OR EXISTS (SELECT FROM keyed k WHERE k.account_id = c.account_id AND k.key = c.key)
      RETURNING id, created_at),
    logged AS (
      INSERT INTO call_events (call_id, seq, at, type, data)
      SELECT id, 1, created_at, 'status', '{"status": "pending"}' FROM created),
    records AS MATERIALIZED (
      SELECT jsonb_agg(d) AS list FROM jsonb_array_elements($3::jsonb) d WHERE (d ->> 'call_id')::uuid IN (SELECT id FROM created)),
    ${outboxCte('(SELECT list FROM records)')}
    SELECT id FROM created`,
};

const QUEUE_LOCK = { name: 'queue-lock', text: `SELECT pg_advisory_xact_lock(7216036, $1)` };

const QUEUE_LENGTH = {
  name: 'queue-length',
  text: `SELECT a.queued_calls AS "limit", (SELECT count(*)::integer FROM (
      SELECT 1 FROM calls w WHERE w.account_id = a.id AND w.status = 'pending' AND w.owner IS NULL AND w.channel = 'phone' LIMIT a.queued_calls) AS queue) AS waiting
    FROM accounts a WHERE a.id = $1`,
};

/** The agent of a new call was deleted or deactivated after the command had been checked. */
export class AgentGone extends Error {}

/** The codes of a failure that one row of several may have caused: cardinality, data, integrity, and a deadlock. */
const BY_A_ROW = /^(?:21|22|23|40)/;

/** Prepared: it is the hottest path of the API. */
@Injectable()
export class CallCreationRepository {
  private readonly batches = new Batches<CallCreation, boolean>((creations) => this.writeTogether(creations), {
    atOnce: 2,
    most: 64,
  });

  constructor(private readonly database: Database) {}

  async references(
    accountId: number,
    command: CreateCallsCommand,
    key?: string,
    tx?: Sql,
  ): Promise<CallReferences | undefined> {
    const query = callReferencesQuery(accountId, command, key);
    type Found = CallReferences & Record<string, unknown>;
    const [found] = await (tx
      ? this.database.rows<Found>(query, query.values, tx)
      : this.database.quickRows<Found>(query, query.values));
    return found;
  }

  /**
   * Creates the calls of one request, all or none. Requests with one call that come while others are written are written together.
   * @returns false when another request holds the key. Throws AgentGone.
   */
  create(calls: NewCalls, key?: IdempotencyKey, tx?: Sql): Promise<boolean> {
    const creation = { calls, key };
    return tx || calls.rows.length > 1 ? this.write([creation], tx).then(isFirst) : this.batches.load(creation);
  }

  /** Writes the calls of several requests. One that fails does not fail the others: then each is written alone. */
  private async writeTogether(creations: readonly CallCreation[]): Promise<(boolean | Error)[]> {
    try {
      return await this.write(creations);
    } catch (error) {
      const isOfOne = error instanceof AgentGone || BY_A_ROW.test(String(faultOf(error).code));
      if (creations.length === 1 || !isOfOne) throw error;
      return Promise.all(
        creations.map((creation) => this.write([creation]).then(isFirst, (reason: unknown) => reason as Error)),
      );
    }
  }

  /** @returns for each request whether its calls were created. Throws AgentGone. */
  private async write(creations: readonly CallCreation[], tx?: Sql): Promise<boolean[]> {
    const query = createCallsQuery(creations);
    try {
      const created = await this.database.rows<{ id: string }>(query, query.values, tx);
      const ids = new Set(created.map(({ id }) => id));
      return creations.map(({ calls }) => ids.has(calls.rows[0]!.id));
    } catch (error) {
      const { code, column } = faultOf(error);
      throw code === NOT_NULL_VIOLATION && column === 'agent_id' ? new AgentGone() : error;
    }
  }

  /** Serialises the requests that add calls to the queue of an account, until the end of their transactions. */
  async lockQueue(accountId: number, tx: Sql): Promise<void> {
    await this.database.rows(QUEUE_LOCK, [accountId], tx);
  }

  async queueLength(accountId: number, tx?: Sql): Promise<QueueLength> {
    const [length] = await this.database.rows<QueueLength & Record<string, unknown>>(QUEUE_LENGTH, [accountId], tx);
    return length ?? { waiting: 0, limit: 0 };
  }
}

export function callReferencesQuery(accountId: number, command: CreateCallsCommand, key?: string): Query {
  const { agentId, numberId, trunkId, overrides } = command;
  const callerId = overrides.transfer.callerIdNumberId ?? null;
  const values = [accountId, agentId, numberId ?? null, trunkId ?? null, callerId, key ?? null];
  return { ...REFERENCES, values: [...values, requestedKnowledge(command), overrides.agent?.tool_ids ?? null] };
}

/** The one statement of a creation. */
export function createCallsQuery(creations: readonly CallCreation[]): Query {
  const keys = creations.flatMap(({ calls, key }) => {
    const { account_id } = calls.rows[0]!;
    return key
      ? [{ account_id, key: key.key, hash: key.hash.toString('hex'), response: JSON.stringify(calls.views) }]
      : [];
  });
  const rows = creations.flatMap(({ calls, key }) => calls.rows.map((row) => toAskedCall(row, key?.key)));
  const deliveries = creations.flatMap(({ calls }) => calls.deliveries);
  return { ...CREATE, values: [JSON.stringify(keys), JSON.stringify(rows), JSON.stringify(deliveries)] };
}

/** The row without its null values. */
function toAskedCall(row: NewCallRow, key: string | undefined): Record<string, unknown> {
  const asked: Record<string, unknown> = { key };
  for (const name of NAMES) if (row[name] !== null) asked[name] = row[name];
  return asked;
}

const isFirst = ([created]: readonly boolean[]): boolean => created === true;
