import { spend } from '@app/patterns';
import type { Format } from 'ajv';
import { fastFormats, fullFormats } from 'ajv-formats/dist/formats.js';
import type { AddedFormat } from 'ajv/dist/types/index.js';

/** No text in any of these is longer. */
const LONGEST = 2_048;
const OF_ANY_LENGTH = new Set(['byte', 'binary', 'password']);
const OF_NUMBERS = new Set(['int32', 'int64', 'float', 'double']);

/**
 * The formats of ajv-formats whose expressions read a text in time proportional to its length: of dates and times those that
 * know the calendar, of addresses the fast ones. Not `url` (quadratic), not `regex` (it would compile what a model wrote).
 */
const { uri, email, 'uri-reference': uriReference } = fastFormats;
const { url: _quadratic, regex: _compiles, ...linear } = fullFormats;
const DEFINITIONS = { ...linear, uri, email, 'uri-reference': uriReference };

/** As Ajv takes them, by their names. */
export const FORMATS: ReadonlyMap<string, AddedFormat> = new Map(
  Object.entries(DEFINITIONS).map(([name, definition]) => [name, boundedFormat(name, testOf(definition))]),
);

function testOf(definition: Format): (value: unknown) => boolean {
  const check = typeof definition === 'object' && 'validate' in definition ? definition.validate : definition;
  if (check instanceof RegExp) return (value) => check.test(String(value));
  if (typeof check !== 'function') return () => true;
  return (value) => (check as (value: unknown) => unknown)(value) === true;
}

function boundedFormat(name: string, test: (value: unknown) => boolean): AddedFormat {
  if (OF_NUMBERS.has(name)) return { type: 'number', validate: test };
  const longest = OF_ANY_LENGTH.has(name) ? Infinity : LONGEST;
  return (text: string) => {
    spend(10 + Math.min(text.length, longest) * 4);
    return text.length <= longest && test(text);
  };
}
