import { readJson } from '@app/common';
import type { FunctionDeclaration, Schema, Type } from '@google/genai';
import type { ToolDefinition } from '../voice-provider.js';

type Json = Record<string, unknown>;

const TYPES: Record<string, string> = {
  string: 'STRING',
  number: 'NUMBER',
  integer: 'INTEGER',
  boolean: 'BOOLEAN',
  array: 'ARRAY',
  object: 'OBJECT',
};
const FORMATS: Record<string, readonly string[]> = {
  STRING: ['date-time'],
  NUMBER: ['float', 'double'],
  INTEGER: ['int32', 'int64'],
};
/** Keywords that Gemini accepts unchanged, and their types: it refuses a request with a value of another one. */
const SAME = { title: 'string', pattern: 'string', minimum: 'number', maximum: 'number' } as const;
/** The same; their type is int64, which is text in Google's JSON. */
const LENGTHS = ['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties'] as const;
/** Keywords without a counterpart: the model reads them in the description; the session validates the arguments anyway. */
const DESCRIBED = [
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'uniqueItems',
  'not',
  'patternProperties',
  'additionalItems',
  'contains',
  'minContains',
  'maxContains',
  'dependentRequired',
  'propertyNames',
  'contentEncoding',
  'contentMediaType',
  'if',
  'then',
  'else',
];
/** Deeper schemas (and recursive ones) end as free text. */
const DEEPEST = 12;
const FREE = 'A JSON object, written as text.';

/** A tool in Gemini's subset of OpenAPI 3.0 schemas. */
export function functionDeclaration({ name, description, parameters }: ToolDefinition): FunctionDeclaration {
  const converted = schemaOf(parameters, { root: parameters, depth: 0 });
  // The service rejects an object without properties.
  const hasParameters = converted.properties !== undefined;
  return { name, description, ...(hasParameters ? { parameters: converted } : {}) };
}

interface Place {
  root: Json;
  depth: number;
}

function schemaOf(given: unknown, place: Place): Schema {
  const schema = merge(resolve(given, place), place);
  const deeper = { ...place, depth: place.depth + 1 };
  const nullable = typesOf(schema).includes('null') || schema.nullable === true;
  const types = typesOf(schema).filter((type) => type !== 'null');
  const options = alternativesOf(schema, types);
  const isNull = (option: unknown): boolean => isObject(option) && option.type === 'null';
  const anyOf = options.filter((option) => !isNull(option)).map((option) => schemaOf(option, deeper));
  const common = {
    ...descriptionOf(schema),
    ...(nullable || options.some(isNull) ? { nullable: true } : {}),
  };
  if (place.depth >= DEEPEST) return { ...common, type: 'STRING' as Type, description: FREE };
  if (anyOf.length === 1) return { ...anyOf[0], ...common };
  if (anyOf.length > 1) return { ...common, anyOf };
  return { ...common, ...typed(schema, types[0], deeper) };
}

function typed(schema: Json, type: string | undefined, deeper: Place): Schema {
  const name = TYPES[type ?? ''] ?? guess(schema);
  const same = Object.fromEntries(
    Object.entries(SAME)
      .filter(([key, kind]) => typeof schema[key] === kind)
      .map(([key]) => [key, schema[key]]),
  );
  const lengths = Object.fromEntries(
    LENGTHS.filter((key) => Number.isSafeInteger(schema[key])).map((key) => [key, String(schema[key])]),
  );
  const format = FORMATS[name]?.includes(String(schema.format)) ? { format: String(schema.format) } : {};
  const own = { type: name as Type, ...same, ...lengths, ...format };
  if (name === 'ARRAY') return { ...own, items: itemsOf(schema, deeper) };
  if (name === 'OBJECT') return objectOf(schema, own, deeper);
  return name === 'STRING' ? { ...own, ...choicesOf(schema) } : own;
}

function objectOf(schema: Json, own: Schema, deeper: Place): Schema {
  const properties = Object.entries(isObject(schema.properties) ? schema.properties : {});
  if (properties.length === 0)
    return deeper.depth === 1 ? { type: own.type } : { type: 'STRING' as Type, description: FREE };
  const required = Array.isArray(schema.required)
    ? schema.required.filter((name) => properties.some(([key]) => key === name))
    : [];
  return {
    ...own,
    properties: Object.fromEntries(properties.map(([name, value]) => [name, schemaOf(value, deeper)])),
    ...(required.length > 0 ? { required: required.map(String) } : {}),
  };
}

function itemsOf({ items, prefixItems }: Json, deeper: Place): Schema {
  const listed = Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : undefined;
  if (listed) return schemaOf({ anyOf: listed }, deeper);
  return isObject(items) ? schemaOf(items, deeper) : { type: 'STRING' as Type };
}

/** Only texts can be restricted to values, and the service refuses a request with an empty one, or without any. */
function choicesOf(schema: Json): Schema {
  const values = valuesOf(schema);
  return isChoice(values) ? { enum: [...new Set(values)], format: 'enum' } : {};
}

const isChoice = (values: unknown[] | undefined): values is string[] =>
  values !== undefined && values.length > 0 && values.every((value) => typeof value === 'string' && value !== '');

const valuesOf = (schema: Json): unknown[] | undefined =>
  Array.isArray(schema.enum) ? schema.enum : schema.const === undefined ? undefined : [schema.const];

function descriptionOf(schema: Json): Schema {
  const own = typeof schema.description === 'string' ? [schema.description] : [];
  const limits = DESCRIBED.filter((key) => schema[key] !== undefined).map(
    (key) => `${key}: ${JSON.stringify(schema[key])}`,
  );
  const values = valuesOf(schema);
  if (values && !isChoice(values)) limits.push(`one of ${JSON.stringify(values)}`);
  const { format } = schema;
  if (typeof format === 'string' && !Object.values(FORMATS).flat().includes(format)) limits.push(`format: ${format}`);
  const text = [...own, ...(limits.length > 0 ? [`(${limits.join(', ')})`] : [])].join(' ');
  return text ? { description: text } : {};
}

function alternativesOf(schema: Json, types: string[]): unknown[] {
  const given = [schema.anyOf, schema.oneOf].find(Array.isArray) as unknown[] | undefined;
  if (given) return given;
  const { description: _, ...rest } = schema;
  return types.length > 1 ? types.map((type) => ({ ...rest, type })) : [];
}

function guess(schema: Json): string {
  if (isObject(schema.properties)) return 'OBJECT';
  if (schema.items !== undefined) return 'ARRAY';
  const [value] = valuesOf(schema) ?? [];
  if (typeof value === 'number') return 'NUMBER';
  return typeof value === 'boolean' ? 'BOOLEAN' : 'STRING';
}

/** The schema with its `allOf` parts as one schema. */
function merge(schema: Json, place: Place): Json {
  if (!Array.isArray(schema.allOf)) return schema;
  const { allOf, ...own } = schema;
  return (allOf as unknown[]).reduce<Json>((whole, part) => {
    const one = merge(resolve(part, place), place);
    const properties = { ...(whole.properties as Json | undefined), ...(one.properties as Json | undefined) };
    const required = [...((whole.required as unknown[]) ?? []), ...((one.required as unknown[]) ?? [])];
    return {
      ...one,
      ...whole,
      ...(Object.keys(properties).length > 0 ? { properties } : {}),
      ...(required.length > 0 ? { required } : {}),
    };
  }, own);
}

/** Follows a reference within the schema; `true` and unknown references allow anything. */
function resolve(given: unknown, { root, depth }: Place): Json {
  let schema = isObject(given) ? given : {};
  const mostHops = depth < DEEPEST ? DEEPEST : 0;
  for (let hops = 0; typeof schema.$ref === 'string' && hops < mostHops; hops++) {
    const path = schema.$ref.replace(/^#\/?/, '').split('/').filter(Boolean);
    const target = path.reduce<unknown>((at, key) => (isObject(at) ? at[pointerKey(key)] : undefined), root);
    const { $ref: _, ...beside } = schema;
    schema = { ...(isObject(target) ? target : {}), ...beside };
  }
  return schema;
}

const pointerKey = (key: string): string => decodeURIComponent(key).replaceAll('~1', '/').replaceAll('~0', '~');

const typesOf = ({ type }: Json): string[] => [type].flat().filter((one): one is string => typeof one === 'string');

/**
 * The arguments of a call in the shape of the tool's own schema: objects that Gemini's subset cannot describe arrive as text.
 */
export function ownArguments(args: Json, parameters: Json): Json {
  return argumentsIn(args, parameters, { root: parameters, depth: 0 }) as Json;
}

function argumentsIn(value: unknown, given: unknown, place: Place): unknown {
  if (place.depth > DEEPEST) return value;
  const schema = merge(resolve(given, place), place);
  const deeper = { ...place, depth: place.depth + 1 };
  if (typeof value === 'string') return typesOf(schema).includes('object') ? objectIn(value) : value;
  if (Array.isArray(value)) return value.map((entry) => argumentsIn(entry, schema.items, deeper));
  if (!isObject(value)) return value;
  const properties = isObject(schema.properties) ? schema.properties : {};
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [key, argumentsIn(one, properties[key], deeper)]),
  );
}

/** Text that is not an object stays: the session's check of the arguments explains the mistake to the model. */
function objectIn(text: string): unknown {
  try {
    const value = readJson(text);
    return isObject(value) ? value : text;
  } catch {
    return text;
  }
}

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
