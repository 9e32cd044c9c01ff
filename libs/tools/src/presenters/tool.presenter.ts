import { isoTime, type Encryption, timeOrNull } from '@app/common';
import { attemptView } from '@app/webhooks';
import { decryptActionHeaders, shownHeaders } from '../domain/action-headers.js';
import type { ToolAction } from '../domain/tool.js';
import type {
  ActionAttemptRow,
  InvocationRow,
  InvocationState,
  ListedInvocationRow,
} from '../tool-invocations.repository.js';
import type { ToolRow } from '../tools.repository.js';

export type ToolView = ReturnType<typeof toolView>;

/** The tool object of the API. Throws when headers were encrypted with another SECRET_KEY. */
export const toolView = (row: ToolRow, encryption: Encryption) => ({
  id: row.id,
  agent_id: row.agent_id,
  name: row.name,
  description: row.description,
  is_active: row.is_active,
  parameters: row.parameters,
  webhook_actions: row.actions.map((action) => actionView(action, encryption)),
  mcp: row.mcp && { server_id: row.mcp.serverId, server: row.mcp.serverName, name: row.mcp.name },
  created_at: isoTime(row.created_at),
  updated_at: isoTime(row.updated_at),
});

const actionView = (action: ToolAction, encryption: Encryption) => ({
  id: action.id,
  name: action.name,
  url: action.url,
  method: action.method,
  payload: action.payload,
  headers: shownHeaders(decryptActionHeaders(encryption, action)),
  query_params: action.queryParams,
  wait_response: action.waitResponse,
  timeout_seconds: action.timeoutMs / 1_000,
});

/** An invocation with its actions and their attempts. */
export function invocationView(row: InvocationRow) {
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
    actions: row.actions.map(invokedActionView),
  };
}

export type InvocationView = ReturnType<typeof invocationView>;

function invokedActionView(row: ActionAttemptRow) {
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

/** A queued action succeeds when it is delivered, and fails when the dispatcher gives up. */
function outcomeOf({ outcome, state }: ActionAttemptRow): ActionAttemptRow['outcome'] {
  if (state === 'delivered') return 'succeeded';
  return state === 'dead' || state === 'refused' ? 'failed' : outcome;
}

/** An awaited action has one attempt, or none when its request was invalid. */
function ownAttempt(row: ActionAttemptRow) {
  if (row.latency_ms === null) return [];
  const message = (row.error as { message?: string } | null)?.message ?? null;
  return [attemptView({ ...row, attempt: 1, latency_ms: row.latency_ms, error: message })];
}

/** An invocation in a list, without arguments and result. */
export const listedInvocationView = (row: ListedInvocationRow) => ({
  invocation_id: row.id,
  tool_id: row.tool_id,
  tool: row.tool_name,
  agent_id: row.agent_id,
  call_id: row.call_id,
  tool_call_id: row.tool_call_id,
  source: row.source,
  state: stateOf(row.ok),
  started_at: isoTime(row.started_at),
  ended_at: timeOrNull(row.ended_at),
});

export type ListedInvocationView = ReturnType<typeof listedInvocationView>;

const stateOf = (ok: boolean | null): InvocationState => (ok === null ? 'running' : ok ? 'succeeded' : 'failed');
