import { isoTime, NotFound, timeOrNull } from '@app/common';
import { rows, type Sql } from '@app/database';
import type { InvocationSource } from './invocation.js';

/** A call that invokes more tools than these shows the first of them. */
const MOST = 200;
/** Characters of an answer that are shown. */
const SHOWN_ANSWER = 2_000;

interface AttemptRow {
  attempt: number;
  at: string;
  status: number | null;
  latency_ms: number;
  error: string | null;
  answer: string | null;
  request_headers: Record<string, string>;
}

interface ActionRow extends Omit<AttemptRow, 'attempt' | 'error' | 'latency_ms'> {
  id: string;
  name: string;
  method: string;
  url: string;
  outcome: 'succeeded' | 'failed' | 'queued';
  latency_ms: number | null;
  error: unknown;
  /** Of the delivery of a queued one. */
  state: 'pending' | 'slow' | 'delivered' | 'dead' | 'refused' | null;
  attempts: AttemptRow[];
}

interface InvocationRow {
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
  started_at: Date;
  ended_at: Date | null;
  actions: ActionRow[];
}

const DELIVERY_ATTEMPTS = `(SELECT coalesce(json_agg(json_build_object('attempt', w.attempt, 'at', w.at, 'status', w.status,
      'latency_ms', w.latency_ms, 'error', w.error, 'answer', left(w.response_head, ${SHOWN_ANSWER}),
      'request_headers', w.request_headers) ORDER BY w.attempt), '[]')
    FROM webhook_attempts w WHERE w.delivery_id = d.id)`;

const COLUMNS = `i.id, i.agent_id, i.call_id, i.tool_id, i.tool_name, i.tool_call_id, i.source, i.arguments, i.ok, i.result,
      i.started_at, i.ended_at,
      (SELECT coalesce(json_agg(json_build_object('id', a.id, 'name', a.name, 'method', a.method, 'url', a.url, 'outcome', a.outcome,
          'at', a.at, 'status', a.status, 'latency_ms', a.latency_ms, 'error', a.error,
          'answer', left(a.answer_head, ${SHOWN_ANSWER}), 'request_headers', a.request_headers, 'state', d.state,
          'attempts', ${DELIVERY_ATTEMPTS}) ORDER BY a.position), '[]')
        FROM tool_attempts a LEFT JOIN webhook_deliveries d ON a.outcome = 'queued' AND d.id = a.id
        WHERE a.invocation_id = i.id) AS actions`;

const OF_CALL = {
  name: 'invocations-of-call',
  text: `SELECT ${COLUMNS} FROM tool_invocations i WHERE i.account_id = $1 AND i.call_id = $2 ORDER BY i.id LIMIT ${MOST}`,
};

const ONE = {
  name: 'one-invocation',
  text: `SELECT ${COLUMNS} FROM tool_invocations i WHERE i.account_id = $1 AND i.id = $2`,
};

/** What the tools of a call were invoked with and what came of it, in order; the first 200. */
export async function invocationsOfCall(sql: Sql, accountId: number, callId: string): Promise<InvocationView[]> {
  const found = await rows<InvocationRow & Record<string, unknown>>(sql, OF_CALL, [accountId, callId]);
  return found.map(invocationView);
}

/** One, with all its actions and their tries. Throws NotFound when the account has no such invocation. */
export async function findInvocation(sql: Sql, accountId: number, id: string) {
  const [found] = await rows<InvocationRow & Record<string, unknown>>(sql, ONE, [accountId, id]);
  if (!found) throw new NotFound('Tool invocation');
  return { ...invocationView(found), agent_id: found.agent_id, call_id: found.call_id };
}

function invocationView(row: InvocationRow) {
  return {
    invocation_id: row.id,
    tool_id: row.tool_id,
    tool: row.tool_name,
    tool_call_id: row.tool_call_id,
    source: row.source,
    arguments: row.arguments,
    ok: row.ok,
    result: row.result,
    started_at: isoTime(row.started_at),
    ended_at: timeOrNull(row.ended_at),
    actions: row.actions.map(actionView),
  };
}

export type InvocationView = ReturnType<typeof invocationView>;

function actionView(row: ActionRow) {
  const attempts = row.state === null ? ownAttempt(row) : row.attempts.map(attemptView);
  return {
    id: row.id,
    name: row.name,
    method: row.method,
    url: row.url,
    outcome: outcomeOf(row),
    error: row.error,
    attempts,
  };
}

/** What was queued succeeds when it is delivered, and fails when it is given up. */
function outcomeOf({ outcome, state }: ActionRow): ActionRow['outcome'] {
  if (state === 'delivered') return 'succeeded';
  return state === 'dead' || state === 'refused' ? 'failed' : outcome;
}

/** An action that is waited for is tried once; not at all when its request could not be made. */
function ownAttempt(row: ActionRow) {
  if (row.latency_ms === null) return [];
  const message = (row.error as { message?: string } | null)?.message ?? null;
  return [attemptView({ ...row, attempt: 1, latency_ms: row.latency_ms, error: message })];
}

const attemptView = ({ attempt, at, status, latency_ms, error, answer, request_headers }: AttemptRow) => ({
  attempt,
  at: isoTime(new Date(at)),
  status,
  latency_ms,
  error,
  answer,
  request_headers,
});
