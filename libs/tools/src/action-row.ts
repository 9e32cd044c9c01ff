import type { ActionMethod, QueryValue, ToolAction } from './tool.js';

/** An action as `ACTIONS` gives it: in JSON, its bytes in base64. */
export interface ActionRow {
  id: number;
  name: string;
  url: string;
  method: ActionMethod;
  payload: Record<string, unknown> | null;
  headers_sealed: string | null;
  query_params: Record<string, QueryValue> | null;
  wait_response: boolean;
  timeout_ms: number;
}

/** The actions of tool `t` in their order, as a JSON list: one statement reads tools with all that is theirs. */
export const ACTIONS = `(SELECT coalesce(json_agg(json_build_object('id', a.id, 'name', a.name, 'url', a.url, 'method', a.method,
    'payload', a.payload, 'headers_sealed', encode(a.headers_sealed, 'base64'), 'query_params', a.query_params,
    'wait_response', a.wait_response, 'timeout_ms', a.timeout_ms) ORDER BY a.position), '[]')
  FROM tool_actions a WHERE a.tool_id = t.id AND a.account_id = t.account_id)`;

export const actionOf = (row: ActionRow): ToolAction => ({
  id: row.id,
  name: row.name,
  url: row.url,
  method: row.method,
  payload: row.payload,
  headersSealed: row.headers_sealed === null ? null : Buffer.from(row.headers_sealed, 'base64'),
  queryParams: row.query_params,
  waitResponse: row.wait_response,
  timeoutMs: row.timeout_ms,
});
