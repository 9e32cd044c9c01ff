import type { ModelName, ReasoningEffort } from '@app/common';
import { isJsonObject, type JsonSchema, schemaFaults } from '@app/json-schema';

export const RUBRIC_TYPES = ['boolean', 'score', 'enum'] as const;

/** A question about a call. `score`: a whole number from 1 to 5. */
export interface RubricQuestion {
  name: string;
  question: string;
  type: (typeof RUBRIC_TYPES)[number];
  /** Of an `enum`. */
  options?: string[];
}

/** What is read out of the calls of an agent. At least one of `extract`, `rubric` and `summary_prompt` is given. */
export interface AnalysisSettings {
  /** The schema of the values. */
  extract?: JsonSchema;
  rubric?: RubricQuestion[];
  /** How to sum up the call; absent: no summary. */
  summary_prompt?: string;
  /** Absent: the operator's model. */
  model?: { provider: Exclude<ModelName, 'sandbox'>; model: string; reasoning_effort?: ReasoningEffort };
}

const MAX_SUMMARY = 8_000;
const MAX_EVIDENCE = 300;
const MAX_QUOTE = 1_000;

/**
 * The schema of a model's answer. Every value may be null and none is required: the model must be able to say that the call does not
 * contain it.
 */
export function analysisAnswerSchema({ extract, rubric = [], summary_prompt: summary }: AnalysisSettings): JsonSchema {
  const parts: Record<string, JsonSchema> = {
    ...(extract ? { values: optional(extract) } : {}),
    ...(rubric.length > 0 ? { rubric: rubricSchema(rubric) } : {}),
    ...(summary === undefined ? {} : { summary: { type: ['string', 'null'], maxLength: MAX_SUMMARY } }),
    evidence: { type: 'array', maxItems: MAX_EVIDENCE, items: EVIDENCE },
  };
  return { type: 'object', properties: parts, required: Object.keys(parts), additionalProperties: false };
}

const EVIDENCE = {
  type: 'object',
  properties: {
    for: { type: 'string', description: 'Path of the value, such as values.city or rubric.polite.' },
    line: { type: 'string', description: 'Label of the line, such as T3.' },
    quote: { type: 'string', maxLength: MAX_QUOTE, description: 'Exact words of that line.' },
  },
  required: ['for', 'line', 'quote'],
  additionalProperties: false,
};

const rubricSchema = (rubric: readonly RubricQuestion[]): JsonSchema => ({
  type: 'object',
  properties: Object.fromEntries(
    rubric.map((one) => [one.name, { ...rubricAnswerSchema(one), description: one.question }]),
  ),
  additionalProperties: false,
});

/** The schema of the answer to one question; null is an answer as well. */
export function rubricAnswerSchema({ type, options = [] }: RubricQuestion): JsonSchema {
  if (type === 'boolean') return { type: ['boolean', 'null'] };
  if (type === 'score') return { type: ['integer', 'null'], minimum: 1, maximum: 5 };
  return { enum: [...options, null] };
}

/** The schema with optional properties that may be null, at every level that holds values. */
function optional(schema: unknown): JsonSchema {
  if (!isJsonObject(schema)) return {};
  const { required: _required, minProperties: _fewest, dependentRequired: _dependent, ...rest } = schema;
  const inner = mapped(rest['properties'], (one) => orNull(optional(one)));
  const items = isJsonObject(rest['items']) ? { items: orNull(optional(rest['items'])) } : {};
  const definitions = ['$defs', 'definitions']
    .filter((key) => rest[key] !== undefined)
    .map((key) => [key, mapped(rest[key], optional)]);
  return {
    ...rest,
    ...(inner ? { properties: inner } : {}),
    ...items,
    ...(Object.fromEntries(definitions) as Record<string, unknown>),
  };
}

function mapped(schemas: unknown, change: (schema: unknown) => JsonSchema): Record<string, JsonSchema> | undefined {
  if (!isJsonObject(schemas)) return undefined;
  return Object.fromEntries(Object.entries(schemas).map(([name, one]) => [name, change(one)]));
}

/** A type and an enumeration accept null without a further level, as long as no other keyword excludes it. */
function orNull(schema: JsonSchema): JsonSchema {
  const { type, enum: options, const: only, ...rest } = schema;
  const isPlain = !['$ref', 'anyOf', 'oneOf', 'allOf', 'not', 'if', 'then', 'else'].some((key) => key in rest);
  if (!isPlain) return { anyOf: [schema, { type: 'null' }] };
  return {
    ...rest,
    ...(type === undefined ? {} : { type: [...new Set([type, 'null'].flat())] }),
    ...(Array.isArray(options) ? { enum: [...new Set([...(options as unknown[]), null])] } : {}),
    ...('const' in schema ? { enum: [only, null] } : {}),
  };
}

/** Why the schema of the values cannot be used, as ends of sentences by path below `extract`; empty: it can. */
export function extractProblems(settings: AnalysisSettings): [path: string[], end: string][] {
  const { extract } = settings;
  if (!extract) return [];
  const own = schemaFaults(extract).map(({ path, problem }): [string[], string] => [path.split('.').slice(1), problem]);
  if (own.length > 0) return own;
  const names = Object.keys(isJsonObject(extract['properties']) ? extract['properties'] : {});
  if (names.length === 0) return [[['properties'], 'must name at least one value']];
  const isAskable = schemaFaults(analysisAnswerSchema(settings)).length === 0;
  return isAskable ? [] : [[[], 'is too large or nested too deep: leave room for the evidence of each value']];
}
