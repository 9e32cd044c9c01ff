/** A JSON Schema as the client sent it: draft 2020-12, 2019-09 or 07, within what schemaProblems accepts. */
export type JsonSchema = Record<string, unknown>;

export const ACTION_METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
export type ActionMethod = (typeof ACTION_METHODS)[number];

/** The roots of placeholders: `{{args.x}}`, `{{call.id}}`, `{{metadata.x}}`, `{{agent.name}}`. */
export const PLACEHOLDER_ROOTS = ['args', 'call', 'metadata', 'agent'] as const;
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

/** A tool as a conversation uses it. */
export interface AgentTool {
  id: number;
  name: string;
  description: string;
  parameters: JsonSchema;
  /** In the order in which they run. */
  actions: ToolAction[];
}

/** Identifies an agent within its account. */
export interface AgentOfAccount {
  accountId: number;
  agentId: number;
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
}

/** Absent fields stay unchanged; a list of actions replaces all actions. */
export type ToolChanges = Partial<NewTool>;

/** A tool that takes no arguments. */
export const NO_PARAMETERS: JsonSchema = { type: 'object', properties: {} };
