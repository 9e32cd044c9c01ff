import { isJsonObject } from '@app/json-schema';
import { valueAtPointer } from './json-pointer.js';
import type { AgentTool, Assignment } from './tool.js';
import { behaviourOf } from './tool-behaviour.js';

/** Characters of a text, as of the values that a call is created with. */
const MAX_VALUE_LENGTH = 1_000;

/**
 * The variables of a successful run. `values`: the answers by the name of their action, or the result of an MCP tool. With one awaited
 * action the pointers begin at its answer, with several at the object of all; those of an MCP tool at its structured content.
 */
export function assignmentsOf(
  tool: Pick<AgentTool, 'actions' | 'behaviour' | 'mcp'>,
  values: Record<string, unknown>,
): Assignment[] | undefined {
  return assignmentsIn(tool.behaviour, documentOf(tool, values));
}

/** The variables in a document, at which the pointers begin; it is the result itself where a callback reports it. */
export function assignmentsIn(behaviour: AgentTool['behaviour'], document: unknown): Assignment[] | undefined {
  const { assign } = behaviourOf(behaviour);
  if (!assign || Object.keys(assign).length === 0) return undefined;
  return Object.entries(assign).map(([name, pointer]) => assignment(name, valueAtPointer(document, pointer)));
}

function documentOf({ actions, mcp }: Pick<AgentTool, 'actions' | 'mcp'>, values: Record<string, unknown>): unknown {
  const awaited = actions.filter(({ waitResponse }) => waitResponse);
  const name = mcp ? 'structured_content' : awaited.length === 1 ? awaited[0]!.name : undefined;
  return name !== undefined && Object.hasOwn(values, name) ? values[name] : values;
}

function assignment(name: string, value: unknown): Assignment {
  if (value === undefined || value === null) return { name, value: null, problem: 'missing' };
  if (typeof value === 'string')
    return value.length <= MAX_VALUE_LENGTH
      ? { name, value, problem: null }
      : { name, value: null, problem: 'too_long' };
  const isPlain = typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value));
  return isPlain ? { name, value, problem: null } : { name, value: null, problem: 'not_a_value' };
}

/** What the model gets of a private answer. */
const privateResult = (ok: boolean, assigned: readonly Assignment[] | undefined): Record<string, unknown> =>
  ok
    ? {
        ok: true,
        assigned: (assigned ?? []).filter(({ problem }) => problem === null).map(({ name }) => name),
        not_assigned: (assigned ?? []).filter(({ problem }) => problem !== null).map(({ name }) => name),
      }
    : { ok: false, error: { code: 'tool_failed', message: 'The tool failed. Its answer is private.' } };

/** An answer as the model gets it. */
export function resultForModel(
  { behaviour }: Pick<AgentTool, 'behaviour'>,
  { ok, result, assigned }: { ok: boolean; result: unknown; assigned?: readonly Assignment[] },
): unknown {
  return behaviourOf(behaviour).private ? privateResult(ok, assigned) : result;
}

/** The values by the names of their variables. */
export const valuesOf = (assigned: readonly Assignment[]): Record<string, Assignment['value']> =>
  Object.fromEntries(assigned.map(({ name, value }) => [name, value]));

/** A result that a scenario gives: a failure has only an error. */
export const isFailure = (result: unknown): boolean => isJsonObject(result) && Object.keys(result).join() === 'error';
