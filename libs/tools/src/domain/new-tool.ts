import { type ActionHeader, isSecretName } from './action-headers.js';
import type { ActionMethod, JsonSchema, QueryValue } from './tool.js';

/** A header as it was given: a value, or a value of which is said whether it is secret. */
export type GivenHeader = string | { value: string; secret?: boolean };

/** An action as it was given, its form checked. */
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

/** What is absent stays as it is; a list of actions takes the place of all that there were. */
export type ToolChanges = Partial<NewTool>;

/** A tool that takes no arguments. */
export const NO_PARAMETERS: JsonSchema = { type: 'object', properties: {} };

export const headersOf = ({ headers }: Pick<NewAction, 'headers'>): ActionHeader[] =>
  Object.entries(headers ?? {}).map(([key, given]) => {
    const { value, secret = isSecretName(key) } = typeof given === 'string' ? { value: given } : given;
    return { key, value, secret };
  });
