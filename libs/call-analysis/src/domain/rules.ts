import { type AnalysisSettings, rubricAnswerSchema } from '@app/agents';
import { argumentProblems, isJsonObject, type JsonSchema } from '@app/json-schema';
import { ABSENT, type AnalysedField, type AnalysisResult, type Judged, rubricAnswers } from './analysis-result.js';
import { callFacts, type CallMaterial, type Evidence, givenValues, jsonOf, linesOf } from './call-material.js';
import { evidenceOf } from './evidence.js';

/** A value that the call holds without any understanding of words, and the names under which it can be asked for. */
interface Fact {
  names: readonly string[];
  value: unknown;
  evidence: Evidence;
  /** Pressed keys also fit the values that only they can have. */
  isKeypad?: boolean;
}

const KEYPAD_NAMES = ['keypad', 'keypadinput', 'keys', 'pressedkeys', 'digits', 'dtmf', 'pin', 'code'];
/** Nesting of tool arguments and results that is searched. */
const DEEPEST = 6;
const MAX_FACTS = 5_000;

/** `order_number`, `orderNumber` and `Order number` are one name. */
const nameOf = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');

/**
 * The values that names and types identify: pressed keys, arguments and results of tools, variables, and facts of the call. Words of the
 * conversation are not interpreted. Of several facts with one name, the last one counts.
 */
export function resultByRules(settings: AnalysisSettings, material: CallMaterial): AnalysisResult {
  const facts = factsOf(material);
  const fields: AnalysedField[] = [];
  const read = (path: readonly string[], schema: unknown): unknown => {
    const own = resolve(schema, settings.extract ?? {});
    const inner = own['properties'];
    if (isJsonObject(inner) && Object.keys(inner).length > 0)
      return Object.fromEntries(Object.entries(inner).map(([name, one]) => [name, read([...path, name], one)]));
    const judged = judgedBy(facts, path.join(''), own, settings.extract);
    fields.push({ path: path.join('.'), ...judged });
    return judged.value;
  };
  const properties = settings.extract?.['properties'];
  const values = isJsonObject(properties)
    ? Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, read([name], schema)]))
    : null;
  const rubric = rubricAnswers(settings, (one) => judgedBy(facts, one.name, rubricAnswerSchema(one)));
  const summary = settings.summary_prompt === undefined ? null : material.call.summary;
  return { values, fields, rubric, summary };
}

function judgedBy(facts: readonly Fact[], name: string, schema: JsonSchema, root?: JsonSchema): Judged {
  const wanted = nameOf(name);
  const named = facts.findLast((fact) => fact.names.includes(wanted) && fit(fact.value, schema, root) !== undefined);
  const keyed = named ? undefined : onlyKeys(facts, schema, root);
  const fact = named ?? keyed;
  if (!fact) return ABSENT;
  return { value: fit(fact.value, schema, root) ?? null, status: 'supported', evidence: [fact.evidence] };
}

/** Keys that are one of the options, or match the pattern; several different ones prove nothing. */
function onlyKeys(facts: readonly Fact[], schema: JsonSchema, root?: JsonSchema): Fact | undefined {
  if (schema['enum'] === undefined && schema['pattern'] === undefined) return undefined;
  const fitting = facts.filter(({ isKeypad, value }) => isKeypad && fit(value, schema, root) !== undefined);
  return new Set(fitting.map(({ value }) => value)).size === 1 ? fitting.at(-1) : undefined;
}

function factsOf(material: CallMaterial): Fact[] {
  const lines = linesOf(material);
  const place = (type: Evidence['type'], at: number) => lines.filter((line) => line.type === type)[at];
  const facts: Fact[] = [];
  const add = (names: string[], value: unknown, type: Evidence['type'], at: number, quote?: string): void => {
    const line = place(type, at);
    if (!line || facts.length >= MAX_FACTS) return;
    const evidence = evidenceOf(line, quote ?? line.text);
    facts.push({ names, value, evidence, ...(type === 'keypad' ? { isKeypad: true } : {}) });
  };
  for (const [at, [name, value]] of callFacts(material.call).entries()) add([nameOf(name)], value, 'call', at);
  for (const [at, [name, value]] of givenValues(material.call).entries()) add([nameOf(name)], value, 'variable', at);
  const tools = material.events.filter(({ type }) => type === 'tool_call');
  for (const [at, { data }] of tools.entries()) {
    const tool = nameOf(String(data.name));
    add([tool, `${tool}called`], true, 'tool_call', at, `${String(data.name)} ${jsonOf(data.arguments)}`);
    if (data.ok === false) continue;
    for (const [path, value] of [...leaves(data.arguments), ...leaves(data.result)])
      add(namesOf(tool, path), value, 'tool_call', at, `${path.at(-1)}: ${jsonOf(value)}`);
  }
  const keys = material.events.filter(({ type }) => type === 'dtmf_input');
  for (const [at, { data }] of keys.entries()) add(KEYPAD_NAMES, String(data.digits), 'keypad', at);
  return facts;
}

/** `book {slot: {day}}` answers to day, slot_day and book_slot_day. */
function namesOf(tool: string, path: readonly string[]): string[] {
  const parts = [tool, ...path.map(nameOf)];
  return [...path.map((_, index) => parts.slice(index + 1).join('')), parts.join(''), tool + (parts.at(-1) ?? '')];
}

function leaves(value: unknown, path: readonly string[] = []): [string[], unknown][] {
  if (value === null || value === undefined || path.length > DEEPEST) return [];
  if (typeof value !== 'object') return path.length > 0 ? [[[...path], value]] : [];
  const whole: [string[], unknown][] = Array.isArray(value) && path.length > 0 ? [[[...path], value]] : [];
  if (Array.isArray(value)) return whole;
  return Object.entries(value).flatMap(([key, one]) => leaves(one, [...path, key]));
}

/** The value as the schema wants it: `"3"` is 3 for a number. Undefined: it does not fit. */
function fit(value: unknown, schema: JsonSchema, root: JsonSchema = {}): unknown {
  return [value, ...conversions(value, schema)].find((one) => one !== null && fits(one, schema, root));
}

function fits(value: unknown, schema: JsonSchema, root: JsonSchema): boolean {
  const { $defs, definitions } = root;
  const around = { type: 'object', properties: { value: schema }, $defs, definitions };
  return argumentProblems(JSON.parse(JSON.stringify(around)) as JsonSchema, { value }) === undefined;
}

function conversions(value: unknown, { enum: options }: JsonSchema): unknown[] {
  const text = typeof value === 'string' || typeof value === 'number' ? String(value).trim() : undefined;
  if (text === undefined) return [];
  const option = Array.isArray(options)
    ? (options as unknown[]).find((one) => typeof one === 'string' && nameOf(one) === nameOf(text))
    : undefined;
  const number = /^-?\d+(?:\.\d+)?$/.test(text) ? [Number(text)] : [];
  const flag = /^(?:true|false)$/i.test(text) ? [text.toLowerCase() === 'true'] : [];
  return [text, ...number, ...flag, ...(option === undefined ? [] : [option])];
}

const REF = /^#\/(\$defs|definitions)\/([^/]+)$/;

function resolve(schema: unknown, root: JsonSchema): JsonSchema {
  if (!isJsonObject(schema)) return {};
  const { $ref: reference } = schema;
  const [, keyword = '', name = ''] = (typeof reference === 'string' && REF.exec(reference)) || [];
  const definitions = root[keyword];
  const target = isJsonObject(definitions) ? definitions[name] : undefined;
  return isJsonObject(target) ? target : schema;
}
