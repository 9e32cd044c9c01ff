import type { AgentVariable, WholeAgent } from '../api/types.js';
import { otherSettings } from './agent-pipeline.js';
import { nextKey } from './form-or-json.js';

/** Settings that the form shows as one JSON object: they are rare, or lists of objects. */
const MORE_SETTINGS = [
  'transcription_model',
  'turn_detection',
  'pipeline',
  'fallbacks',
  'script',
  'conversation',
  'digit_inputs',
  'scenarios',
  'publish_requires',
] as const;

/** The settings of the JSON field that are not empty. */
export function moreSettings(agent: WholeAgent | undefined): Record<string, unknown> | null {
  const more = { ...agent, pipeline: otherSettings(agent?.pipeline) };
  const given = MORE_SETTINGS.map((name) => [name, more[name]] as const).filter(
    ([, value]) => value !== null && value !== undefined && !(Array.isArray(value) && value.length === 0),
  );
  return given.length === 0 ? null : Object.fromEntries(given);
}

/** A setting that was removed from the JSON field is sent as empty, so that it is removed in the service. */
export const withRemoved = (more: Record<string, unknown> | null): Record<string, unknown> => ({
  transcription_model: null,
  turn_detection: null,
  pipeline: null,
  fallbacks: [],
  script: null,
  conversation: null,
  digit_inputs: [],
  scenarios: [],
  publish_requires: [],
  ...more,
});

/** A row of the table of variables, as typed. */
export interface VariableRow {
  key: number;
  name: string;
  default: string;
  description: string;
  isRequired: boolean;
  /** What the row does not show, and the type of the default. */
  stored: AgentVariable | undefined;
}

/** The rows with one more variable. */
export const withVariable = (rows: readonly VariableRow[], name = ''): readonly VariableRow[] => [
  ...rows,
  { key: nextKey(rows), name, default: '', description: '', isRequired: false, stored: undefined },
];

export const rowsOf = (variables: readonly AgentVariable[] = []): VariableRow[] =>
  variables.map((stored, key) => ({
    key,
    name: stored.name,
    default: stored.default === null || stored.default === undefined ? '' : String(stored.default),
    description: stored.description ?? '',
    isRequired: stored.required ?? false,
    stored,
  }));

export const variablesOf = (rows: readonly VariableRow[]): AgentVariable[] =>
  rows
    .filter(({ name }) => name.trim() !== '')
    .map(({ name, default: usual, description, isRequired, stored }) => ({
      ...(stored?.max_length !== undefined && { max_length: stored.max_length }),
      name: name.trim(),
      required: isRequired,
      default: defaultOf(usual, stored),
      description: description.trim() === '' ? null : description.trim(),
    }));

/** A default that was not changed keeps its type: 5 does not become "5". */
function defaultOf(typed: string, stored: AgentVariable | undefined): AgentVariable['default'] {
  if (typed === '') return null;
  return stored?.default !== undefined && String(stored.default) === typed ? stored.default : typed;
}

/** The address and headers of a webhook with the other settings that were stored for it; null: none. */
export const webhookOf = (
  url: string,
  stored: object | null | undefined,
  headers: readonly { key: string; value: string }[],
): object | null => (url === '' ? null : { ...stored, url, headers });
