import type { Schema } from '../support/api-document.js';

/** A label and the JSON text of a value. */
export type WrongValue = readonly [label: string, json: string];

const text = (value: unknown): string => JSON.stringify(value);
/** A JSON string of `count` characters, stored as a placeholder. */
const long = (count: number): string => `"{{repeat:x:${count}}}"`;

/** Values that few fields accept, whatever their type. */
const OF_ANY_TYPE: readonly WrongValue[] = [
  ['null', 'null'],
  ['true', 'true'],
  ['a number', '7'],
  ['a fraction', '1.5'],
  ['a negative number', '-1'],
  ['zero', '0'],
  ['an inexact integer', '9007199254740993'],
  ['an integer of 20 digits', '99999999999999999999'],
  ['a number beyond double precision', '1e400'],
  ['an empty string', '""'],
  ['a blank string', '"  "'],
  ['a string', '"x"'],
  ['a numeric string', '"1"'],
  ['a boolean string', '"true"'],
  ['a null character', '"a\\u0000b"'],
  ['a lone surrogate', '"x\\ud800"'],
  ['an empty list', '[]'],
  ['a list', '[7]'],
  ['a list of null', '[null]'],
  ['a nested list', '[["x"]]'],
  ['an empty object', '{}'],
  ['an object', '{"x":1}'],
  ['an object with the key __proto__', '{"__proto__":{"x":1}}'],
];

const OF_STRINGS: readonly WrongValue[] = [
  ['300 characters', long(300)],
  ['2,100 characters', long(2_100)],
  ['20,001 characters', long(20_001)],
  ['markup', '"<script>alert(1)</script>"'],
  ['a line break', '"a\\r\\nb"'],
  ['a control character', '"a\\u001bb"'],
  ['an unclosed placeholder', '"{{args."'],
  ['an unknown placeholder', '"{{nothing.x}}"'],
];

/** By words in the name of a field. */
const OF_NAMES: readonly [RegExp, readonly string[]][] = [
  [
    /url|issuer|source_reference/,
    [
      'not a url',
      'ftp://example.com/',
      'http://',
      '//example.com',
      'http://10.0.0.1/',
      'http://user:pass@example.com/',
      'http://169.254.169.254/',
      'http://localhost/',
      'https://exa mple.com/',
      'http://[::1]/',
    ],
  ],
  [
    /number|^e164$|^from$|digits/,
    [
      '12345',
      '+1',
      '+1234567890123456',
      '+12a34567890',
      'sip:',
      'sip:@127.0.0.1',
      'sip:a@',
      'sip:a@10.0.0.1',
      'sips:a@127.0.0.1',
      'tel:+15550002222',
      '+1900*',
      '+19005550100',
      'sip:+19005550100@127.0.0.1',
      'sip:112@127.0.0.1',
    ],
  ],
  [
    /_at$|date|not_before|expires/,
    [
      'yesterday',
      '2026-02-30',
      '2026-13-01T00:00:00Z',
      '2026-01-01T25:00:00Z',
      '2026-01-01T00:00:00',
      '2001-01-01T00:00:00Z',
      '9999-12-31T00:00:00Z',
      '01/02/2026',
    ],
  ],
  [/zone/, ['Europe/Atlantis', 'UTC+1', 'europe/berlin ', '+01:00']],
  [/^(from|to|earliest|latest)$/, ['24:00', '9:00', '09:60', '25:00', '09:00:00']],
  [/cron|refresh/, ['* * * *', '61 3 * * *', '* * * * * *', '@daily', '30 3 31 2 *', '* * * * *']],
  [/name|variables/, ['Not Snake', '1abc', 'end_call', 'search_knowledge_base', 'ünïcode', 'a/b', 'A']],
  [
    /host|addresses|domains/,
    ['exa mple.com', '10.0.0.1', '169.254.1.1', 'localhost', 'a..b', '-a.com', '::1', '10.0.0.0/33'],
  ],
  [/language/, ['english', 'xx', 'EN-us-x', 'en_US']],
  [/pattern|matches/, ['(', '(a+)+$', '[', '*', '(?<=a)b']],
  [/parameters|extract|schema/, []],
  [/_id$/, ['01a22810-0000-7000-8000-000000000000', 'not-a-uuid']],
  [/scopes/, ['calls:admin', 'calls:read calls:write']],
  [/cursor/, ['x', 'eyJ9', '%%%']],
  [/keys|digits/, ['12x', 'ABCDE', '1 2', 'w']],
];

/** JSON Schemas that no tool and no analysis can have. */
const SCHEMAS: readonly unknown[] = [
  { type: 'array' },
  { type: 'object', properties: [] },
  { type: 'object', properties: { a: { type: 'text' } } },
  { type: 'object', properties: { a: { $ref: 'https://example.com/a.json' } } },
  { type: 'object', properties: { a: { type: 'string', pattern: '(' } } },
  { type: 'object', required: 'a' },
  { type: 'object', properties: { a: { minimum: 'x' } } },
];

/** Values for one field of a body: those for any type, those that its name invites, and those beyond the limits of its schema. */
export function wrongValues(name: string, schema: Schema): WrongValue[] {
  const types = typesOf(schema);
  const byName = OF_NAMES.filter(([pattern]) => pattern.test(name)).flatMap(([, values]) => values);
  return [
    ...OF_ANY_TYPE,
    ...(types.has('string') || types.size === 0 ? OF_STRINGS : []),
    ...byName.map((value): WrongValue => [text(value), text(value)]),
    ...(/parameters|extract/.test(name) ? SCHEMAS.map((value): WrongValue => [text(value), text(value)]) : []),
    ...choices(schema).flatMap(beyondLimits),
  ];
}

/** The schema and its alternatives, at any depth. */
function choices(schema: Schema, above: readonly Schema[] = []): Schema[] {
  if (above.includes(schema)) return [];
  const inner = [...(schema.allOf ?? []), ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])];
  return [schema, ...inner.flatMap((one) => choices(one, [...above, schema]))];
}

const typesOf = (schema: Schema): Set<string> => new Set(choices(schema).flatMap(({ type }) => type ?? []));

function beyondLimits(schema: Schema): WrongValue[] {
  const { minimum, maximum, minLength, maxLength, maxItems, minItems, enum: allowed } = schema;
  const step = [schema.type].flat().includes('number') ? 0.01 : 1;
  const found: WrongValue[] = [];
  if (minimum !== undefined) found.push(['below the minimum', text(minimum - step)]);
  if (maximum !== undefined) found.push(['above the maximum', text(maximum + step)]);
  if (minLength !== undefined && minLength > 1) found.push(['too short', text('x'.repeat(minLength - 1))]);
  if (maxLength !== undefined) found.push(['too long', long(maxLength + 1)]);
  if (maxItems !== undefined) {
    const item = [schema.items?.type].flat().includes('integer') ? '1' : '"x"';
    found.push(['too many items', `[{{repeat:${item},:${maxItems}}}${item}]`], ['repeated items', `[${item},${item}]`]);
  }
  if (minItems !== undefined && minItems > 1) found.push(['too few items', '["x"]']);
  const words = (allowed ?? []).filter((one) => typeof one === 'string');
  if (words[0] !== undefined)
    found.push(
      ['another case', text(words[0].toUpperCase())],
      ['a trailing space', text(`${words[0]} `)],
      ['a misspelling', text(`${words[0]}x`)],
    );
  return found;
}
