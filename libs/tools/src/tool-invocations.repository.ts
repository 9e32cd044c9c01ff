import { firstIdOf } from '@app/common';
import {
  type Condition,
  ConditionWriter,
  Database,
  type ListCursor,
  type ListedTable,
  type ListPage,
  type ListSlice,
  ListTotals,
  ofCall,
  pageOf,
  pgJson,
  sliceOf,
  type Sql,
} from '@app/database';
import { releaseCte, type ToolDeliveryRecord, toolDeliveriesCte } from '@app/webhooks';
import { Injectable } from '@nestjs/common';
import type { CallbackAddress } from './domain/tool-callback.js';
import type {
  AgentTool,
  ActionOutcome,
  Assignment,
  ConfirmationEvidence,
  InvocationContext,
  InvocationSource,
  ToolRun,
} from './domain/tool.js';

/** A row of `tool_attempts`, as plain JSON. */
export interface AttemptRecord {
  id: string;
  position: number;
  action_id: number;
  name: string;
  method: string;
  /** Without its query, which may hold keys. */
  url: string;
  outcome: ActionOutcome['outcome'];
  /** ISO 8601. */
  at: string;
  status: number | null;
  latency_ms: number | null;
  error: unknown;
  answer_head: string | null;
  request_headers: Record<string, string>;
}

const attemptsCte = (parameter: string): string => `INSERT INTO tool_attempts
      (id, invocation_id, position, action_id, name, method, url, outcome, at, status, latency_ms, error, answer_head, request_headers)
    SELECT a.id, $1, a.position, a.action_id, a.name, a.method, a.url, a.outcome, a.at, a.status, a.latency_ms, a.error,
           a.answer_head, a.request_headers
      FROM json_to_recordset(${parameter}::json) AS a (id uuid, position smallint, action_id integer, name text, method text,
        url text, outcome text, at timestamptz, status integer, latency_ms integer, error json, answer_head text,
        request_headers json)`;

const BEGIN = {
  name: 'begin-invocation',
  text: `WITH invocation AS (
      INSERT INTO tool_invocations (id, account_id, agent_id, tool_id, tool_name, call_id, tool_call_id, source, arguments,
        confirmation)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $12)),
    callback AS (
      INSERT INTO tool_callbacks (invocation_id, account_id, token_hash, behaviour, expires_at)
      SELECT $1, $2, $13::bytea, $14::json, now() + interval '15 minutes' WHERE $13::bytea IS NOT NULL),
    ${toolDeliveriesCte('$10')}
    ${attemptsCte('$11')}`,
};

export interface BegunInvocation {
  id: string;
  tool: Pick<AgentTool, 'id' | 'name' | 'behaviour'>;
  args: unknown;
  context: InvocationContext;
  queued: ToolDeliveryRecord[];
  attempts: AttemptRecord[];
  /** A callback ends the invocation. */
  callback?: CallbackAddress;
}

const END = {
  name: 'end-invocation',
  text: `WITH ended AS (
      UPDATE tool_invocations SET ok = $2, result = $3, assigned = $5, ended_at = now() WHERE id = $1),
    closed AS (UPDATE tool_callbacks SET ended_at = now() WHERE invocation_id = $1 AND ended_at IS NULL),
    ${releaseCte('$1')}
    ${attemptsCte('$4')}`,
};

const AWAIT = {
  name: 'await-callback',
  text: `WITH ${releaseCte('$1')}
    ${attemptsCte('$2')}`,
};

/** Maximum number of invocations that are shown of a call: the first ones. */
const MAX_INVOCATIONS = 200;
/** Characters of an answer that are shown. */
export const SHOWN_ANSWER = 2_000;

/** An awaited action with its one attempt, or a queued one, whose attempts are those of its delivery. */
export interface ActionAttemptRow {
  id: string;
  name: string;
  method: string;
  url: string;
  outcome: 'succeeded' | 'failed' | 'queued';
  at: string;
  status: number | null;
  latency_ms: number | null;
  error: unknown;
  answer: string | null;
  request_headers: Record<string, string>;
}

export interface InvocationRow {
  id: string;
  agent_id: number;
  call_id: string | null;
  tool_id: number;
  tool_name: string;
  tool_call_id: string | null;
  source: InvocationSource;
  arguments: unknown;
  ok: boolean | null;
  result: unknown;
  assigned: Assignment[] | null;
  confirmation: ConfirmationEvidence | null;
  progress: { at: string; text: string }[];
  started_at: Date;
  ended_at: Date | null;
  actions: ActionAttemptRow[];
}

const COLUMNS = `i.id, i.agent_id, i.call_id, i.tool_id, i.tool_name, i.tool_call_id, i.source, i.arguments, i.ok, i.result,
      i.assigned, i.confirmation, i.started_at,
      coalesce((SELECT k.notes FROM tool_callbacks k WHERE k.invocation_id = i.id), '[]') AS progress, i.ended_at,
      (SELECT coalesce(json_agg(json_build_object('id', a.id, 'name', a.name, 'method', a.method, 'url', a.url, 'outcome', a.outcome,
          'at', a.at, 'status', a.status, 'latency_ms', a.latency_ms, 'error', a.error,
          'answer', left(a.answer_head, ${SHOWN_ANSWER}), 'request_headers', a.request_headers) ORDER BY a.position), '[]')
        FROM tool_attempts a WHERE a.invocation_id = i.id) AS actions`;

const OF_CALL = {
  name: 'invocations-of-call',
  text: `SELECT ${COLUMNS} FROM tool_invocations i WHERE i.account_id = $1 AND i.call_id = $2 ORDER BY i.id LIMIT ${MAX_INVOCATIONS}`,
};

const ONE = {
  name: 'one-invocation',
  text: `SELECT ${COLUMNS} FROM tool_invocations i WHERE i.account_id = $1 AND i.id = $2`,
};

/** `running`: not ended. `failed`: an awaited action failed, or its process died (see endAbandoned). */
export const INVOCATION_STATES = ['running', 'succeeded', 'failed'] as const;
export type InvocationState = (typeof INVOCATION_STATES)[number];

/** The filters of a list of invocations. */
export interface InvocationFilter {
  callId?: string;
  toolId?: number;
  state?: InvocationState;
  /** Both included, on the time of the invocation. */
  from?: Date;
  to?: Date;
}

const INVOCATION_LIST: ListedTable = {
  name: 'tool_invocations',
  columns: 'id, tool_id, tool_name, agent_id, call_id, tool_call_id, source, ok, started_at, ended_at',
  time: 'started_at',
};

export interface ListedInvocationRow {
  id: string;
  tool_id: number;
  tool_name: string;
  agent_id: number;
  call_id: string | null;
  tool_call_id: string | null;
  source: InvocationSource;
  ok: boolean | null;
  started_at: Date;
  ended_at: Date | null;
}

const OK: Record<InvocationState, string> = { running: 'ok IS NULL', succeeded: 'ok = true', failed: 'ok = false' };

/** The WHERE clause of a filtered list of the account's invocations. An index serves each filter. */
function invocationCondition(accountId: number, { callId, toolId, state, from, to }: InvocationFilter): Condition {
  const where = new ConditionWriter(accountId);
  where.addGiven('call', ofCall(INVOCATION_LIST), callId);
  where.addGiven('tool', (value) => `tool_id = ${value}::integer`, toolId);
  if (state) where.addFixed(state, OK[state]);
  where.addGiven('from', (value) => `started_at >= ${value}`, from);
  where.addGiven('to', (value) => `started_at <= ${value}`, to);
  return where.done();
}

const ABANDONED_AT_ONCE = 500;
const END_ABANDONED = {
  name: 'end-abandoned-invocations',
  text: `UPDATE tool_invocations SET ok = false, result = $1, ended_at = now()
    WHERE id = ANY (ARRAY(SELECT id FROM tool_invocations
      WHERE ended_at IS NULL AND started_at < now() - $2 * interval '1 ms'
        AND NOT EXISTS (SELECT FROM tool_callbacks k WHERE k.invocation_id = tool_invocations.id AND k.ended_at IS NULL) ORDER BY started_at LIMIT ${ABANDONED_AT_ONCE}))
      AND ended_at IS NULL
    RETURNING id`,
};

const DELETE_OF_CALLS = {
  name: 'delete-invocations-of-calls',
  text: 'DELETE FROM tool_invocations WHERE call_id = ANY ($1::uuid[])',
};

const PURGED_AT_ONCE = 2_000;
const PURGE = {
  name: 'purge-invocations',
  text: `WITH purged AS (
      DELETE FROM tool_invocations WHERE id = ANY (ARRAY(
        SELECT id FROM tool_invocations WHERE id < $1 ORDER BY id LIMIT ${PURGED_AT_ONCE})) RETURNING 1)
    SELECT count(*)::integer AS n FROM purged`,
};

/** All statements on `tool_invocations` and `tool_attempts`. Prepared, because conversations wait for them. */
@Injectable()
export class ToolInvocationsRepository {
  private readonly totals: ListTotals;

  constructor(private readonly database: Database) {
    this.totals = new ListTotals(database.pool);
  }

  /** Stores the invocation and its queued actions in one statement: queued actions are delivered even if this process dies. */
  async begin({ id, tool, args, context, queued, attempts, callback }: BegunInvocation): Promise<void> {
    const { accountId, agent, call, toolCallId, source, confirmation } = context;
    await this.database.rows(BEGIN, [
      id,
      accountId,
      agent.id,
      tool.id,
      tool.name,
      call?.id ?? null,
      toolCallId,
      source,
      pgJson(args),
      JSON.stringify(queued),
      pgJson(attempts),
      confirmation ? pgJson(confirmation) : null,
      callback?.tokenHash ?? null,
      pgJson(tool.behaviour ?? {}),
    ]);
  }

  /** Stores the result and releases the queued actions that waited for awaited ones. */
  async end(
    { invocationId, ok, result, assigned }: Omit<ToolRun, 'actions'>,
    attempts: AttemptRecord[],
  ): Promise<void> {
    const values = [invocationId, ok, pgJson(result), pgJson(attempts), assigned ? pgJson(assigned) : null];
    await this.database.rows(END, values);
  }

  /** Stores the requests, and releases the queued actions; the invocation goes on. */
  async await(invocationId: string, attempts: AttemptRecord[]): Promise<void> {
    await this.database.rows(AWAIT, [invocationId, pgJson(attempts)]);
  }

  /** In order; the first 200. */
  ofCall(accountId: number, callId: string): Promise<InvocationRow[]> {
    return this.database.rows<InvocationRow & Record<string, unknown>>(OF_CALL, [accountId, callId]);
  }

  async find(accountId: number, id: string): Promise<InvocationRow | undefined> {
    const [found] = await this.database.rows<InvocationRow & Record<string, unknown>>(ONE, [accountId, id]);
    return found;
  }

  /** A numbered page of the account's invocations, newest first, with the total. */
  page(
    accountId: number,
    filter: InvocationFilter,
    place: { page: number; perPage: number },
  ): Promise<ListPage<ListedInvocationRow>> {
    const parts = { pool: this.database.pool, totals: this.totals };
    return pageOf<ListedInvocationRow>(parts, INVOCATION_LIST, invocationCondition(accountId, filter), place);
  }

  /** The invocations beside a cursor (without one: the newest), newest first. */
  slice(
    accountId: number,
    filter: InvocationFilter,
    place: { cursor?: ListCursor; perPage: number },
  ): Promise<ListSlice<ListedInvocationRow>> {
    const { pool } = this.database;
    return sliceOf<ListedInvocationRow>(pool, INVOCATION_LIST, invocationCondition(accountId, filter), place);
  }

  /** Ends invocations that began longer than `ms` ago, 500 at most, with `result`. @returns their ids. */
  async endAbandoned(ms: number, result: unknown): Promise<string[]> {
    const ended = await this.database.rows<{ id: string }>(END_ABANDONED, [JSON.stringify(result), ms]);
    return ended.map(({ id }) => id);
  }

  /** Deletes the invocations of calls with their attempts. */
  async deleteOfCalls(callIds: readonly string[], tx: Sql): Promise<void> {
    await this.database.rows(DELETE_OF_CALLS, [callIds], tx);
  }

  /** Deletes invocations that began before `time` (ms since the epoch) with their attempts, 2,000 at most. @returns how many. */
  async purge(time: number): Promise<number> {
    const [row] = await this.database.rows<{ n: number }>(PURGE, [firstIdOf(time)]);
    return row?.n ?? 0;
  }
}
