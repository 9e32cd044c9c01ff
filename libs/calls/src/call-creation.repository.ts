import {
  Database,
  faultOf,
  type IdempotencyKey,
  keptAnswerJoin,
  keyedCte,
  NOT_NULL_VIOLATION,
  type Query,
  type Sql,
  type Statement,
} from '@app/database';
import { type DeliveryRecord, outboxCte } from '@app/webhooks';
import { Injectable } from '@nestjs/common';
import { type CallRow, SHARED_COLUMNS } from './call.entity.js';
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
      ${VERSION_COLUMNS},
      n.e164 AS from_number, n.active AS number_active, t.active AS trunk_active, t.dial_formats, c.active AS caller_id_active,
      a.destinations_allow AS allow, a.destinations_deny AS deny, a.daily_spend_micros, s.micros AS spent_micros,
      (date_trunc('day', now() AT TIME ZONE 'UTC') + interval '1 day') AT TIME ZONE 'UTC' AS resets_at,
      EXISTS (SELECT FROM do_not_call_lists l WHERE l.account_id = $1) AS has_do_not_call,
      a.queued_calls, k.request_hash, k.response #>> '{}' AS response,
      CASE WHEN $7::integer[] IS NOT NULL THEN (SELECT jsonb_object_agg(b.id, b.is_active)
        FROM knowledge_base_agents l JOIN knowledge_bases b ON b.id = l.knowledge_base_id
        WHERE l.account_id = $1 AND l.agent_id = $2 AND l.knowledge_base_id = ANY ($7)) END AS knowledge_bases,
      CASE WHEN $8::integer[] IS NOT NULL THEN (SELECT jsonb_object_agg(l.id, l.is_active) FROM tools l
        WHERE l.account_id = $1 AND l.agent_id = $2 AND l.id = ANY ($8)) END AS tools
    FROM accounts a
    LEFT JOIN agents ag ON ag.account_id = a.id AND ag.id = $2
    ${CANARY_JOIN}
    LEFT JOIN phone_numbers n ON n.account_id = a.id AND n.id = $3
    LEFT JOIN sip_trunks t ON t.account_id = a.id AND t.id = $4::integer
    LEFT JOIN phone_numbers c ON c.account_id = a.id AND c.id = $5::integer
    LEFT JOIN daily_spend s ON s.account_id = a.id AND s.day = (now() AT TIME ZONE 'UTC')::date
    ${keptAnswerJoin('$6')}
    WHERE a.id = $1`,
};

type SharedColumn = (typeof SHARED_COLUMNS)[number] | 'campaign_id';

/** The parameters before those of the shared columns. */
const FIRST_PARAMETERS = 9;
/** Columns whose values differ between the calls of a creation, with their types. */
const OWN_VALUES = { metadata: 'jsonb', variables: 'jsonb', due_at: 'timestamptz', trunk_id: 'integer' } as const;
const OWN_OF_CONTACTS = { ...OWN_VALUES, contact_id: 'uuid', number_id: 'integer', from_number: 'text' } as const;
const isOwn = (column: string): boolean => column in OWN_VALUES;

/** Without values of variables, and to be dialled at once. */
const SHARED = SHARED_COLUMNS.filter((column) => column !== 'variables');
/** The calls have their own variables, metadata, times or trunks. */
const SHARED_BESIDE_OWN = SHARED_COLUMNS.filter((column) => !isOwn(column));
/** The calls are those of contacts of a campaign. */
const SHARED_OF_CAMPAIGN = [
  ...SHARED_BESIDE_OWN.filter((column) => !(column in OWN_OF_CONTACTS)),
  'campaign_id',
] as const;

/**
 * Calls, their first events, their deliveries and the idempotency key in one statement: one round trip, all or nothing.
 * The lock keeps the agent until the commit: calls have no foreign key to it, because they outlive it. The statement fails when the agent
 * was deleted or deactivated meanwhile, because `agent_id` must not be null.
 */
const createStatement = (
  name: string,
  shared: readonly SharedColumn[],
  ownTypes: Readonly<Record<string, string>>,
): Statement => {
  const own = Object.keys(ownTypes);
  const parameterOf = (column: SharedColumn): string => `$${FIRST_PARAMETERS + 1 + shared.indexOf(column)}`;
  const sharedValue = (column: SharedColumn): string =>
    column === 'agent_id' ? '(SELECT id FROM agent)' : parameterOf(column);
  const ownArrays = own.map((_, index) => `, $${FIRST_PARAMETERS + 1 + shared.length + index}::text[]`).join('');
  const ownColumns = own.map((column) => `, ${column}`).join('');
  const ownValues = own.map((column) => `, c.${column}::${ownTypes[column]}`).join('');
  return {
    name,
    text: `WITH ${keyedCte({ account: '$1', key: '$2', hash: '$3', response: '$4' })},
    agent AS MATERIALIZED (SELECT id FROM agents WHERE id = ${parameterOf('agent_id')} AND active FOR KEY SHARE),
    created AS (
      INSERT INTO calls (id, account_id, to_number, agent_version, settings, ${shared.join(', ')}${ownColumns}, event_seq, webhook_seq)
      SELECT c.id, $1, c.to_number, c.agent_version, c.settings::jsonb, ${shared.map(sharedValue).join(', ')}${ownValues}, 1, 1
        FROM unnest($5::uuid[], $6::text[], $8::integer[], $9::text[]${ownArrays})
          AS c (id, to_number, agent_version, settings${ownColumns})
        WHERE EXISTS (SELECT FROM keyed)
      RETURNING id),
    logged AS (
      INSERT INTO call_events (call_id, seq, at, type, data)
      SELECT id, 1, ${parameterOf('created_at')}, 'status', '{"status": "pending"}' FROM created),
    records AS (SELECT CASE WHEN EXISTS (SELECT FROM keyed) THEN $7::jsonb ELSE '[]'::jsonb END AS list),
    ${outboxCte('(SELECT list FROM records)')}
    SELECT count(*)::integer AS created FROM created`,
  };
};

const CREATE = createStatement('create-calls', SHARED, {});
const CREATE_WITH_OWN_VALUES = createStatement('create-calls-with-values', SHARED_BESIDE_OWN, OWN_VALUES);
const CREATE_OF_CAMPAIGN = createStatement('create-calls-of-campaign', SHARED_OF_CAMPAIGN, OWN_OF_CONTACTS);

const QUEUE_LOCK = { name: 'queue-lock', text: `SELECT pg_advisory_xact_lock(7216036, $1)` };

const QUEUE_LENGTH = {
  name: 'queue-length',
  text: `SELECT a.queued_calls AS "limit", (SELECT count(*)::integer FROM (
      SELECT 1 FROM calls w WHERE w.account_id = a.id AND w.status = 'pending' AND w.owner IS NULL LIMIT a.queued_calls) AS queue) AS waiting
    FROM accounts a WHERE a.id = $1`,
};

/** The agent of a new call was deleted or deactivated after the command had been checked. */
export class AgentGone extends Error {}

/** Prepared: it is the hottest path of the API. */
@Injectable()
export class CallCreationRepository {
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

  /** Returns how many calls were created: 0 when another request holds the key. Throws AgentGone. */
  async create(calls: NewCalls, key?: IdempotencyKey, tx?: Sql): Promise<number> {
    const query = createCallsQuery(calls, key);
    try {
      const [result] = await this.database.rows<{ created: number }>(query, query.values, tx);
      return result?.created ?? 0;
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
  const values = [accountId, agentId, numberId, trunkId ?? null, callerId, key ?? null];
  return { ...REFERENCES, values: [...values, requestedKnowledge(command), overrides.agent?.tool_ids ?? null] };
}

/** Objects are stored as JSON, lists as arrays. */
const parameter = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && !(value instanceof Date) && !Array.isArray(value)
    ? JSON.stringify(value)
    : value;

/** The one statement of a creation; `calls` differ in `id`, `to_number`, `agent_version`, `settings` and the own columns only. */
export function createCallsQuery({ rows: calls, views, deliveries }: NewCalls, key?: IdempotencyKey): Query {
  const [first] = calls;
  if (!first) throw new Error('A command has at least one destination.');
  const values = [
    first.account_id,
    key?.key ?? null,
    key?.hash ?? null,
    key ? JSON.stringify(views) : null,
    calls.map((call) => call.id),
    calls.map((call) => call.to_number),
    JSON.stringify(deliveries),
    calls.map((call) => call.agent_version),
    calls.map((call) => JSON.stringify(call.settings)),
  ];
  if (first.campaign_id !== null)
    return { ...CREATE_OF_CAMPAIGN, values: [...values, ...valuesIn(calls, SHARED_OF_CAMPAIGN, OWN_OF_CONTACTS)] };
  const hasOwn = calls.some(
    (call) =>
      call.variables !== null ||
      call.due_at !== null ||
      call.metadata !== first.metadata ||
      call.trunk_id !== first.trunk_id,
  );
  if (!hasOwn) return { ...CREATE, values: [...values, ...valuesIn(calls, SHARED, {})] };
  return { ...CREATE_WITH_OWN_VALUES, values: [...values, ...valuesIn(calls, SHARED_BESIDE_OWN, OWN_VALUES)] };
}

/** The parameters of a creation: the values that the calls share, then the others as arrays. */
const valuesIn = (calls: NewCallRow[], shared: readonly SharedColumn[], own: object): unknown[] => [
  ...shared.map((column) => parameter(calls[0]?.[column])),
  ...(Object.keys(own) as (keyof typeof OWN_OF_CONTACTS)[]).map((column) =>
    calls.map((call) => parameter(call[column])),
  ),
];
