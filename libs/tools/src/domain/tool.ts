/** A JSON Schema as it was given: draft 2020-12, 2019-09 or 07, whatever of it schemaProblems lets pass. */
export type JsonSchema = Record<string, unknown>;

export const ACTION_METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
export type ActionMethod = (typeof ACTION_METHODS)[number];

/** What a placeholder may begin with: `{{args.x}}`, `{{call.id}}`, `{{metadata.x}}`, `{{agent.name}}`. */
export const PLACEHOLDER_ROOTS = ['args', 'call', 'metadata', 'agent'] as const;
export type PlaceholderRoot = (typeof PLACEHOLDER_ROOTS)[number];

/** A value of the query; a list is given once per element. Texts may hold placeholders. */
export type QueryValue = string | number | boolean | null | (string | number | boolean | null)[];

/** A request that is made when the tool is invoked, as it is stored: templates are not filled in, headers are sealed. */
export interface ToolAction {
  id: number;
  /** Unique within the tool: the key of its result. */
  name: string;
  /** Placeholders stand in its path and query only. */
  url: string;
  method: ActionMethod;
  payload: Record<string, unknown> | null;
  /** See openActionHeaders. Null: none. */
  headersEncrypted: Buffer | null;
  queryParams: Record<string, QueryValue> | null;
  waitResponse: boolean;
  /** 1,000 to 120,000; of an action that is waited for. */
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

/** Whose tools are meant. */
export interface AgentOfAccount {
  accountId: number;
  agentId: number;
}
