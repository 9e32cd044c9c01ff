import { isoTime, type Encryption, timeOrNull } from '@app/common';
import { type ActionDelivery, attemptView } from '@app/webhooks';
import { decryptActionHeaders, shownHeaders } from '../domain/action-headers.js';
import { behaviourOf } from '../domain/tool-behaviour.js';
import type { ToolAction } from '../domain/tool.js';
import type {
  ActionAttemptRow,
  InvocationRow,
  InvocationState,
  ListedInvocationRow,
} from '../tool-invocations.repository.js';
import type { ToolEntity } from '../tool.entity.js';

export type ToolView = ReturnType<typeof toolView>;

/** The tool object of the API. Throws when headers were encrypted with another SECRET_KEY. */
export const toolView = (tool: ToolEntity, encryption: Encryption) => ({
  id: tool.id,
  agent_id: tool.agentId,
  agent_ids: tool.agentIds,
  name: tool.name,
  description: tool.description,
  is_active: tool.isActive,
  parameters: tool.parameters,
  ...behaviourOf(tool.behaviour),
  webhook_actions: tool.actions.map((action) => actionView(action, encryption)),
  mcp: tool.mcpServer ? { server_id: tool.mcpServer.id, server: tool.mcpServer.name, name: tool.mcpName! } : null,
  created_at: isoTime(tool.createdAt),
  updated_at: isoTime(tool.updatedAt),
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

/** An invocation with its actions and their attempts; `deliveries`: those of its queued actions. */
export function invocationView(row: InvocationRow, deliveries: ReadonlyMap<string, ActionDelivery>) {
  return {
    invocation_id: row.id,
    tool_id: row.tool_id,
    tool: row.tool_name,
    tool_call_id: row.tool_call_id,
    source: row.source,
    arguments: row.arguments,
    ok: row.ok,
    result: row.result,
    assigned: row.assigned,
    confirmation: row.confirmation,
    progress: row.progress.map(({ at, text }) => ({ at: isoTime(new Date(at)), text })),
    started_at: isoTime(row.started_at),
    ended_at: timeOrNull(row.ended_at),
    actions: row.actions.map((action) => invokedActionView(action, deliveries.get(action.id))),
  };
}

export type InvocationView = ReturnType<typeof invocationView>;

function invokedActionView(row: ActionAttemptRow, delivery: ActionDelivery | undefined) {
  return {
    id: row.id,
    name: row.name,
    method: row.method,
    url: row.url,
    outcome: outcomeOf(row, delivery),
    error: row.error,
    attempts: delivery ? delivery.attempts.map(attemptView) : ownAttempt(row),
  };
}

/** A queued action succeeds when it is delivered, and fails when the dispatcher gives up. */
function outcomeOf({ outcome }: ActionAttemptRow, delivery: ActionDelivery | undefined): ActionAttemptRow['outcome'] {
  if (delivery?.state === 'delivered') return 'succeeded';
  return delivery?.state === 'dead' || delivery?.state === 'refused' ? 'failed' : outcome;
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
