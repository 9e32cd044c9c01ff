import { isoTime, type Encryption } from '@app/common';
import { openActionHeaders, shownHeaders } from './action-headers.js';
import { type ActionRow, actionOf } from './action-row.js';
import type { ToolRow } from './tool-row.js';

export type ToolView = ReturnType<typeof toolView>;
export type ActionView = ToolView['webhook_actions'][number];

/** The tool object of the API. Throws when headers were sealed with another SECRET_KEY. */
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

const actionView = (row: ActionRow, encryption: Encryption) => ({
  id: row.id,
  name: row.name,
  url: row.url,
  method: row.method,
  payload: row.payload,
  headers: shownHeaders(openActionHeaders(encryption, actionOf(row))),
  query_params: row.query_params,
  wait_response: row.wait_response,
  timeout_seconds: row.timeout_ms / 1_000,
});
