import { rows, type Sql, pgJson } from '@app/database';
import { releaseCte, type ToolDeliveryRecord, toolDeliveriesCte } from '@app/webhooks';
import type { AgentTool } from '../tool.js';
import type { ActionOutcome, InvocationContext, ToolRun } from './invocation.js';

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
      INSERT INTO tool_invocations (id, account_id, agent_id, tool_id, tool_name, call_id, tool_call_id, source, arguments)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)),
    ${toolDeliveriesCte('$10')}
    ${attemptsCte('$11')}`,
};

export interface BegunInvocation {
  id: string;
  tool: Pick<AgentTool, 'id' | 'name'>;
  args: unknown;
  context: InvocationContext;
  queued: ToolDeliveryRecord[];
  attempts: AttemptRecord[];
}

/** The invocation and everything it queues, in one statement: what is queued is delivered whatever happens to this process. */
export async function beginInvocation(
  sql: Sql,
  { id, tool, args, context, queued, attempts }: BegunInvocation,
): Promise<void> {
  const { accountId, agent, call, toolCallId, source } = context;
  await rows(sql, BEGIN, [
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
  ]);
}

const END = {
  name: 'end-invocation',
  text: `WITH ended AS (
      UPDATE tool_invocations SET ok = $2, result = $3, ended_at = now() WHERE id = $1),
    ${releaseCte('$1')}
    ${attemptsCte('$4')}`,
};

/** What came of it; what was queued behind actions that were waited for may go. */
export async function endInvocation(
  sql: Sql,
  { invocationId, ok, result }: Omit<ToolRun, 'actions'>,
  attempts: AttemptRecord[],
): Promise<void> {
  await rows(sql, END, [invocationId, ok, pgJson(result), pgJson(attempts)]);
}
