import type { SecureValues } from '@app/common';
import type { JsonSchema } from '@app/json-schema';
import type { ToolBehaviour } from './tool-behaviour.js';

export const ACTION_METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
export type ActionMethod = (typeof ACTION_METHODS)[number];

/** The roots of placeholders: `{{args.x}}`, `{{vars.x}}`, `{{call.id}}`, `{{metadata.x}}`, `{{agent.name}}`, `{{callback.url}}`. */
export const PLACEHOLDER_ROOTS = ['args', 'vars', 'call', 'metadata', 'agent', 'callback'] as const;
export type PlaceholderRoot = (typeof PLACEHOLDER_ROOTS)[number];

/** A value of the query; a list becomes one parameter per element. Strings may hold placeholders. */
export type QueryValue = string | number | boolean | null | (string | number | boolean | null)[];

/** A stored request of a tool: templates are not rendered, headers are encrypted. */
export interface ToolAction {
  id: number;
  /** Unique within the tool: the key of its result. */
  name: string;
  /** Placeholders are allowed in its path and query only. */
  url: string;
  method: ActionMethod;
  payload: Record<string, unknown> | null;
  /** See decryptActionHeaders. Null: no headers. */
  headersEncrypted: Buffer | null;
  queryParams: Record<string, QueryValue> | null;
  waitResponse: boolean;
  /** 1,000 to 120,000; applies when `waitResponse` is true. */
  timeoutMs: number;
}

/** The MCP server that a tool belongs to. */
export interface McpTool {
  serverId: number;
  /** The tool's name on the server. */
  name: string;
  url: string;
  /** See decryptMcpHeaders. Null: no headers. */
  headersEncrypted: Buffer | null;
  /** 1,000 to 120,000. */
  timeoutMs: number;
}

/** A tool as a conversation uses it. */
export interface AgentTool {
  id: number;
  name: string;
  description: string;
  parameters: JsonSchema;
  /** In the order in which they run. */
  actions: ToolAction[];
  /** A tool of an MCP server has no actions. */
  mcp?: McpTool | null;
  /** Absent or null: the defaults. */
  behaviour?: Partial<ToolBehaviour> | null;
}

/** A header as the client sent it: a value, or a value with the flag whether it is secret. */
export type GivenHeader = string | { value: string; secret?: boolean };

/** A validated action of a request to create or update a tool. */
export interface NewAction {
  name: string;
  url: string;
  method: ActionMethod;
  payload: Record<string, unknown> | null;
  headers: Record<string, GivenHeader> | null;
  queryParams: Record<string, QueryValue> | null;
  waitResponse: boolean;
  timeoutMs: number;
}

export interface NewTool {
  name: string;
  description: string;
  isActive: boolean;
  parameters: JsonSchema;
  actions: NewAction[];
  behaviour: Partial<ToolBehaviour>;
  /** Further agents that use it, in the order of the request. */
  agentIds: number[];
}

/** Absent fields stay unchanged, also those of `behaviour`; a list of actions replaces all actions. */
export type ToolChanges = Partial<NewTool>;

/** A tool that takes no arguments. */
export const NO_PARAMETERS: JsonSchema = { type: 'object', properties: {} };

/** The origin of an invocation: a call, `POST …/invoke`, or a simulated conversation. */
export type InvocationSource = 'call' | 'invoke' | 'simulation';

/** The call as templates name it: `{{call.to_number}}`. */
interface InvokedCall {
  id: string;
  direction: 'inbound' | 'outbound';
  to_number: string;
  from_number: string;
}

/**
 * A variable that the answer of a tool set. `value` is null with a `problem`: the pointer led nowhere, or to something that is no text,
 * number or boolean of at most 1,000 characters.
 */
export interface Assignment {
  name: string;
  value: string | number | boolean | null;
  problem: 'missing' | 'not_a_value' | 'too_long' | null;
}

/** The variables of a conversation: those of its call, and those that tools have assigned. */
export interface ConversationVariables {
  all(): Record<string, unknown>;
  assign(assigned: readonly Assignment[]): void;
}

/** How the user agreed to an invocation. */
export interface ConfirmationEvidence {
  /** What the user said or pressed after the values had been read back. */
  words: string;
  /** Milliseconds since the answer. */
  at_ms: number;
}

/** The owner of an invocation, and the data of the conversation that templates may use. */
export interface InvocationContext {
  accountId: number;
  agent: { id: number; name: string };
  /** null: the conversation is not a call, and `{{call.…}}` is missing. */
  call: InvokedCall | null;
  metadata: Record<string, unknown> | null;
  /** The provider's id of the tool call; null outside of a conversation. */
  toolCallId: string | null;
  source: InvocationSource;
  /** Secret digits that users entered, which only requests contain; absent: none. */
  secure?: SecureValues;
  /** Groups the invocations of one conversation, which share MCP sessions; absent: an invocation by itself. */
  conversationId?: string;
  /** Absent: an invocation by itself; nothing is assigned. */
  variables?: ConversationVariables;
  /** Of a tool that the user confirms. */
  confirmation?: ConfirmationEvidence;
  /** What may be stored of arguments, results and requests; absent: everything. Requests are sent with the real values. */
  redact?: (value: unknown) => unknown;
}

/**
 * Why an action failed. No message contains an address.
 * - `invalid_arguments`: against the schema of the tool; nothing was sent.
 * - `unusable_value`, `request_too_large`: the values do not fit into the request; nothing was sent.
 * - `blocked_address`: the address of the URL is not allowed; nothing was sent.
 * - `not_signed`: the account has no secret to sign with; nothing was sent.
 * - `busy`: too many requests of the account were in flight during the whole timeout; nothing was sent.
 * - `timeout`: no complete answer in time, or the time of the whole tool was over.
 * - `connection_failed`: refused, closed early, TLS error, not HTTP, or unknown name.
 * - `http_error`: an answer other than 2xx, with its status; redirects are not followed.
 * - `answer_too_large`: more than 64 KiB. `unreadable_answer`: compressed although the request did not accept it.
 * - `aborted`: the call ended.
 * - `tool_error`: the MCP server or its tool reports an error. `protocol_error`: the answer is not MCP.
 */
export type ActionErrorCode =
  | 'invalid_arguments'
  | 'unusable_value'
  | 'request_too_large'
  | 'blocked_address'
  | 'not_signed'
  | 'busy'
  | 'timeout'
  | 'connection_failed'
  | 'http_error'
  | 'answer_too_large'
  | 'unreadable_answer'
  | 'aborted'
  | 'tool_error'
  | 'protocol_error';

/** The `error` that the model receives. */
export interface ActionError {
  code: ActionErrorCode;
  message: string;
  /** Of the answer, when there was one. */
  status?: number;
  /** The beginning of an error response. */
  answer?: string;
}

/** The outcome of one action of an invocation. */
export interface ActionOutcome {
  /** `webhook-id` and `Idempotency-Key` of every attempt. */
  id: string;
  name: string;
  method: ActionMethod;
  /** `queued`: not awaited; the outbox delivers it, with retries. */
  outcome: 'succeeded' | 'failed' | 'queued';
  /** HTTP status; null: there was no answer. */
  status: number | null;
  /** null: nothing was sent. */
  latencyMs: number | null;
  error: ActionError | null;
}

/** An ended invocation. */
export interface ToolRun {
  invocationId: string;
  /** All awaited actions succeeded. */
  ok: boolean;
  /**
   * The result for the model, at most 8,000 characters as JSON. By name of the action: its answer (JSON or text), `{queued: true}`, or
   * `{error}`. Only `{error}` when no action ran. Of an MCP tool: `{structured_content}` or `{text}`, or `{error}`.
   */
  result: Record<string, unknown>;
  actions: ActionOutcome[];
  /** What the answer set; absent: the tool assigns nothing, or failed. */
  assigned?: Assignment[];
  /** Of a background tool: its result follows in a callback. */
  isPending?: boolean;
  /** A message for each argument that violates the schema; then no action ran. */
  problems?: string[];
}
