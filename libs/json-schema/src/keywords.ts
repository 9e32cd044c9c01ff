import { spend } from './patterns/pattern.js';
import type { Format } from 'ajv';
import { fastFormats, fullFormats } from 'ajv-formats/dist/formats.js';
import type { AddedFormat } from 'ajv/dist/types/index.js';
import { isJsonObject } from './limits.js';

/** Longer texts are invalid in these formats. */
const LONGEST = 2_048;
const OF_ANY_LENGTH = new Set(['byte', 'binary', 'password']);
const OF_NUMBERS = new Set(['int32', 'int64', 'float', 'double']);

/**
 * The formats of ajv-formats with linear running time: dates and times with calendar checks, and the fast variants of addresses. Without
 * `url` (quadratic) and `regex` (it would compile text of a model).
 */
const { uri, email, 'uri-reference': uriReference } = fastFormats;
const { url: _quadratic, regex: _compiles, ...linear } = fullFormats;
const DEFINITIONS = { ...linear, uri, email, 'uri-reference': uriReference };

/** The formats for Ajv by name. */
export const FORMATS: ReadonlyMap<string, AddedFormat> = new Map(
  Object.entries(DEFINITIONS).map(([name, definition]) => [name, createBoundedFormat(name, testOf(definition))]),
);

function testOf(definition: Format): (value: unknown) => boolean {
  const check = typeof definition === 'object' && 'validate' in definition ? definition.validate : definition;
  if (check instanceof RegExp) return (value) => check.test(String(value));
  if (typeof check !== 'function') return () => true;
  return (value) => (check as (value: unknown) => unknown)(value) === true;
}

function createBoundedFormat(name: string, test: (value: unknown) => boolean): AddedFormat {
  if (OF_NUMBERS.has(name)) return { type: 'number', validate: test };
  const longest = OF_ANY_LENGTH.has(name) ? Infinity : LONGEST;
  return (text: string) => {
    spend(10 + Math.min(text.length, longest) * 4);
    return text.length <= longest && test(text);
  };
}

/** The problem of a keyword's value as the end of a sentence; undefined: it is valid. */
type Check = (value: unknown) => string | undefined;

const TYPES = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'];

const unless = (isRight: (value: unknown) => boolean, sentence: string): Check => {
  return (value) => (isRight(value) ? undefined : sentence);
};

export const isTextList = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string') && new Set(value).size === value.length;

const isType = (value: unknown): boolean =>
  TYPES.includes(value as string) ||
  (isTextList(value) && value.length > 0 && value.every((one) => TYPES.includes(one)));

const count = unless((value) => Number.isSafeInteger(value) && Number(value) >= 0, 'must be a whole number from 0');
const number = unless((value) => typeof value === 'number', 'must be a number');
const bool = unless((value) => typeof value === 'boolean', 'must be true or false');
const text = unless((value) => typeof value === 'string', 'must be a string');
const names = unless(isTextList, 'must be an array of strings, each once');

/** Keywords that are assertions by themselves. */
export const ASSERTIONS: Record<string, Check> = {
  type: unless(isType, `must be one of ${TYPES.join(', ')}, or an array of them`),
  enum: unless((value) => Array.isArray(value) && value.length > 0, 'must be an array of at least one value'),
  const: () => undefined,
  multipleOf: unless((value) => typeof value === 'number' && value > 0, 'must be a number greater than 0'),
  maximum: number,
  minimum: number,
  exclusiveMaximum: number,
  exclusiveMinimum: number,
  maxLength: count,
  minLength: count,
  maxItems: count,
  minItems: count,
  maxProperties: count,
  minProperties: count,
  maxContains: count,
  minContains: count,
  uniqueItems: bool,
  required: names,
  dependentRequired: unless(
    (value) => isJsonObject(value) && Object.values(value).every(isTextList),
    'must be an object of arrays of strings',
  ),
  format: unless(
    (value) => typeof value === 'string' && FORMATS.has(value),
    `is unknown. The formats are ${[...FORMATS.keys()].join(', ')}`,
  ),
};

/** Keywords that are documentation. */
export const ANNOTATIONS: Record<string, Check> = { title: text, description: text, $comment: text, nullable: bool };

/** Keywords that contain schemas: for the same value (in place), or for nested values. */
export const IN_PLACE = ['not', 'if', 'then', 'else'] as const;
export const IN_PLACE_LISTS = ['allOf', 'anyOf', 'oneOf'] as const;
export const INSIDE = ['items', 'additionalItems', 'contains', 'additionalProperties', 'propertyNames'] as const;
export const INSIDE_MAPS = ['properties', 'patternProperties'] as const;

/**
 * Keywords that rename or load schemas (a `$ref` must be resolvable in place), and keywords that depend on the evaluation of others: the
 * code that Ajv 8.20 generates for these throws for some arguments.
 */
export const REFUSED = [
  '$anchor',
  '$dynamicAnchor',
  '$dynamicRef',
  '$recursiveAnchor',
  '$recursiveRef',
  '$vocabulary',
  'unevaluatedItems',
  'unevaluatedProperties',
];

const DIALECT = /^https?:\/\/json-schema\.org\/draft(?:\/2020-12|\/2019-09|-07)\/schema#?$/;

export const dialectProblem: Check = unless(
  (value) => typeof value === 'string' && DIALECT.test(value),
  'must be the URI of draft 2020-12, 2019-09 or 07',
);
