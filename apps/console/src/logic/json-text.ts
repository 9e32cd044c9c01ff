import { plural } from './format.js';

export type ReadObject = { value: Record<string, unknown> } | { problem: string };

/** Parses a JSON object, or returns the problem and its place. */
export function readObject(text: string): ReadObject {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { problem: sentenceOf(error, text) };
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { problem: 'This must be a JSON object: { … }.' };
  return { value: value as Record<string, unknown> };
}

/** Error messages differ between browsers: the position is a line and column, or a character offset. */
function sentenceOf(error: unknown, text: string): string {
  const said = error instanceof Error ? error.message : '';
  const what = said
    .replace(/^JSON\.parse: |^JSON Parse error: /, '')
    .replace(/ (?:in JSON )?at (?:position|line) .*$/s, '')
    .replace(/^Unexpected token (\S+), .* is not valid JSON$/s, 'Unexpected $1');
  return `${placeOf(said, text)}: ${what.replace(/\.$/, '')}.`;
}

function placeOf(said: string, text: string): string {
  const lineAndColumn = /line (\d+) column (\d+)/.exec(said);
  if (lineAndColumn) return `Line ${lineAndColumn[1]}, column ${lineAndColumn[2]}`;
  const position = /position (\d+)/.exec(said)?.[1];
  // Messages without a position: the text ends too early, or the message quotes the wrong token.
  if (position === undefined) return 'This is not JSON';
  const before = text.slice(0, Number(position)).split('\n');
  return `Line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
}

export const tidy = (value: unknown): string => JSON.stringify(value, null, 2);

/** Display names of the JSON Schema types. */
const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: 'Text',
  integer: 'Whole number',
  number: 'Number',
  boolean: 'Yes or no',
};

type Schema = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Properties and required names of a schema that is being edited; missing or invalid parts are empty. */
function partsOf({ properties, required }: Schema): { properties: Schema; required: readonly unknown[] } {
  return { properties: isObject(properties) ? properties : {}, required: Array.isArray(required) ? required : [] };
}

/** The arguments of a schema in one sentence. */
export function schemaInWords(schema: Schema): string {
  if (schema['type'] !== 'object') return 'The schema must have "type": "object".';
  const { properties, required } = partsOf(schema);
  const names = Object.keys(properties);
  const undefinedNames = required.filter((name) => typeof name === 'string' && !(name in properties));
  const all = names.map((name) => {
    const one = properties[name];
    const type = isObject(one) && typeof one['type'] === 'string' ? one['type'] : 'anything';
    return `${name} (${(TYPE_NAMES[type] ?? type).toLowerCase()}${required.includes(name) ? '' : ', optional'})`;
  });
  const sentence = names.length === 0 ? 'No arguments.' : `${plural(names.length, 'argument')}: ${all.join(', ')}.`;
  return undefinedNames.length === 0 ? sentence : `${sentence} Required but not defined: ${undefinedNames.join(', ')}.`;
}
