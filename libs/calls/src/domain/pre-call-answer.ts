import {
  type AgentOverrides,
  readAgentOverrides,
  templateProblem,
  type VariableDeclaration,
  type VariableValue,
  valueProblem,
  variablesProblems,
} from '@app/agents';
import { overriddenTemplates } from './create-calls-command.js';

/** The answer of a pre-call webhook. Absent fields change nothing. */
export interface PreCallAnswer {
  variables?: Record<string, VariableValue>;
  overrides?: AgentOverrides;
  /** The call is not placed, or not answered. */
  skip?: string;
}

/** The answer of the webhook is invalid; the message is a sentence for the owner of the endpoint. */
export class InvalidPreCallAnswer extends Error {
  override readonly name = 'InvalidPreCallAnswer';
}

const MAX_REASON_LENGTH = 500;

/** The agent that an answer chooses for an inbound call; undefined: none. @throws InvalidPreCallAnswer */
export function chosenAgentOf(value: unknown, direction: 'inbound' | 'outbound'): number | undefined {
  const chosen = typeof value === 'object' && value !== null ? (value as Record<string, unknown>).agent_id : undefined;
  if (chosen === undefined || chosen === null) return undefined;
  if (direction === 'outbound') throw new InvalidPreCallAnswer('The agent_id field is only for inbound calls.');
  if (typeof chosen !== 'number' || !Number.isInteger(chosen) || chosen < 1 || chosen > 2_147_483_647)
    throw new InvalidPreCallAnswer('The agent_id field must be the id of an agent.');
  return chosen;
}

/**
 * Reads the JSON of an answer; an empty answer (null) changes nothing, and unknown fields are ignored. Whether tools and knowledge bases
 * belong to the agent is not checked. @throws InvalidPreCallAnswer
 */
export function readPreCallAnswer(value: unknown, declared: readonly VariableDeclaration[]): PreCallAnswer {
  if (value === null) return {};
  if (typeof value !== 'object' || Array.isArray(value))
    throw new InvalidPreCallAnswer('The answer is not a JSON object.');
  const { variables = null, agent_overrides: overrides = null, skip = null } = value as Record<string, unknown>;
  return {
    ...(variables !== null && { variables: readVariables(variables, declared) }),
    ...(overrides !== null && { overrides: readOverrides(overrides, declared) }),
    ...(skip !== null && skip !== false && { skip: readReason(skip) }),
  };
}

function readVariables(values: unknown, declared: readonly VariableDeclaration[]): Record<string, VariableValue> {
  const [first] = variablesProblems('variables', values);
  if (first) throw new InvalidPreCallAnswer(first[1].message);
  const given = values as Record<string, VariableValue>;
  for (const { name, max_length: longest } of declared) {
    const problem = Object.hasOwn(given, name) ? valueProblem(given[name], longest) : undefined;
    if (problem) throw new InvalidPreCallAnswer(`The variables.${name} field ${problem}.`);
  }
  return given;
}

function readOverrides(value: unknown, declared: readonly VariableDeclaration[]): AgentOverrides {
  const read = readAgentOverrides('agent_overrides', value);
  if ('problems' in read) throw new InvalidPreCallAnswer(read.problems[0]?.[1].message ?? 'The overrides are invalid.');
  for (const [path, template] of overriddenTemplates(read.value)) {
    const problem = templateProblem(template, declared);
    if (problem) throw new InvalidPreCallAnswer(`The agent_overrides.${path} field ${problem}.`);
  }
  return read.value;
}

function readReason(skip: unknown): string {
  if (typeof skip !== 'string' || skip.trim() === '' || skip.length > MAX_REASON_LENGTH)
    throw new InvalidPreCallAnswer(`The skip field must be a reason of at most ${MAX_REASON_LENGTH} characters.`);
  return skip.trim();
}
