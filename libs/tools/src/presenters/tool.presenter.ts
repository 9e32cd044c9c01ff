import { isoTime, type Encryption } from '@app/common';
import { decryptActionHeaders, shownHeaders } from '../domain/action-headers.js';
import type { ToolAction } from '../domain/tool.js';
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
