import type { ActionRow } from './action-row.js';
import { ACTIONS } from './action-row.js';
import type { JsonSchema } from './tool.js';

/** A tool as PostgreSQL gives it, with its actions. */
export interface ToolRow {
  id: number;
  agent_id: number;
  name: string;
  description: string;
  is_active: boolean;
  parameters: JsonSchema;
  created_at: Date;
  updated_at: Date;
  actions: ActionRow[];
}

/** The columns of `tools t` in the order of ToolRow. */
export const TOOL_COLUMNS = `t.id, t.agent_id, t.name, t.description, t.is_active, t.parameters, t.created_at, t.updated_at,
  ${ACTIONS} AS actions`;
