import { describe, expect, it } from '@jest/globals';
import { argumentProblems } from './argument-validator.js';
import { schemaProblems } from './read-schema.js';

const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more });
const one = (schema: unknown) => object({ x: schema });
const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, n) => make(n));
const named = (count: number, schema: unknown = {}) => Object.fromEntries(times(count, (n) => [`p${n}`, schema]));
const inside = (levels: number): object => (levels === 0 ? {} : object({ x: inside(levels - 1) }));
const lists = (levels: number): unknown => (levels === 0 ? 1 : [lists(levels - 1)]);

describe('the input schema of a tool', () => {
  it.each<[string, unknown, string, string]>([
    ['a list', [], '', 'must be an object'],
    ['null', null, '', 'must be an object'],
    ['true', true, '', 'must be an object'],
    ['an empty object', {}, '.type', 'must be object.'],
    ['a list of types', { type: ['object', 'null'] }, '.type', 'must be object.'],
    ['another dialect', { $schema: 'http://json-schema.org/draft-04/schema#', ...object({}) }, '.$schema', '2020-12'],
    ['an unknown type', one({ type: 'text' }), '.properties.x.type', 'one of string, number'],
    ['no types', one({ type: [] }), '.properties.x.type', 'one of'],
    ['a type twice', one({ type: ['null', 'null'] }), '.properties.x.type', 'one of'],
    ['a property that is not a schema', one('string'), '.properties.x', 'must be a JSON Schema'],
    ['properties that are a list', object([] as object), '.properties', 'must be an object of JSON Schemas'],
    ['required that is not a list', object({}, { required: 'x' }), '.required', 'array of strings'],
    ['required twice', object({}, { required: ['x', 'x'] }), '.required', 'array of strings'],
    ['a limit as a string', one({ minimum: '1' }), '.properties.x.minimum', 'must be a number'],
    ['draft 04', one({ exclusiveMinimum: true }), '.properties.x.exclusiveMinimum', 'must be a number'],
    ['a length below 0', one({ minLength: -1 }), '.properties.x.minLength', 'whole number'],
    ['a length of 1.5', one({ maxItems: 1.5 }), '.properties.x.maxItems', 'whole number'],
    ['a multiple of 0', one({ multipleOf: 0 }), '.properties.x.multipleOf', 'greater than 0'],
    ['no choices', one({ enum: [] }), '.properties.x.enum', 'at least one'],
    ['no branches', one({ anyOf: [] }), '.properties.x.anyOf', 'at least one'],
    ['a branch that is not a schema', one({ oneOf: [{}, 1] }), '.properties.x.oneOf.1', 'must be a JSON Schema'],
    ['a tuple item with an invalid type', one({ items: [{}, { type: 1 }] }), '.properties.x.items.1.type', 'one of'],
    ['an unknown format', one({ format: 'zip' }), '.properties.x.format', 'is unknown. The formats are date,'],
    ['the format regex', one({ format: 'regex' }), '.properties.x.format', 'is unknown'],
    ['a description that is not a string', one({ description: 1 }), '.properties.x.description', 'must be a string'],
    ['a nested $id', one({ $id: 'x' }), '.properties.x.$id', 'is not supported'],
    ['an anchor', one({ $anchor: 'x' }), '.properties.x.$anchor', 'is not supported'],
    ['a dynamic reference', one({ $dynamicRef: '#x' }), '.properties.x.$dynamicRef', 'is not supported'],
    [
      'unevaluatedProperties',
      object({}, { unevaluatedProperties: false }),
      '.unevaluatedProperties',
      'is not supported',
    ],
    ['a remote reference', one({ $ref: 'https://example.com/s.json' }), '.properties.x.$ref', 'must refer to'],
    ['a local file', one({ $ref: 'file:///etc/passwd' }), '.properties.x.$ref', 'must refer to'],
    ['a reference to the root', one({ $ref: '#' }), '.properties.x.$ref', 'must refer to'],
    ['a reference to a property', one({ $ref: '#/properties/x' }), '.properties.x.$ref', 'must refer to'],
    ['a reference to a missing definition', one({ $ref: '#/$defs/no' }), '.properties.x.$ref', 'must refer to'],
    [
      'a reference to an inherited property',
      object({ x: { $ref: '#/$defs/toString' } }, { $defs: {} }),
      '.properties.x.$ref',
      'must refer to',
    ],
    ['a reference with an invalid escape', one({ $ref: '#/$defs/%zz' }), '.properties.x.$ref', 'must refer to'],
    ['a $data reference', one({ maximum: { $data: '1/y' } }), '.properties.x.maximum', 'must be a number'],
    [
      'a property named __proto__',
      JSON.parse('{"type":"object","properties":{"__proto__":{}}}'),
      '.properties',
      '__proto__',
    ],
    ['look-ahead', one({ pattern: '^(?=a)' }), '.properties.x.pattern', 'without look-around'],
    ['a back-reference', one({ pattern: '(a)\\1' }), '.properties.x.pattern', 'without look-around'],
    ['a pattern with an open bracket', one({ pattern: '[a' }), '.properties.x.pattern', 'missing closing ]'],
    [
      'an invalid pattern of patternProperties',
      object({}, { patternProperties: { '(': {} } }),
      '.patternProperties.(',
      'regular expression',
    ],
    [
      'a pattern of names',
      object({}, { propertyNames: { pattern: '(?!x)' } }),
      '.propertyNames.pattern',
      'without look-around',
    ],
    ['a pattern of 513 characters', one({ pattern: 'x'.repeat(513) }), '.properties.x.pattern', 'greater than 512'],
    [
      'a pattern that is repeated a thousand times',
      one({ pattern: `(${'ab|'.repeat(50)}c){1000}` }),
      '.properties.x.pattern',
      'repeats too much',
    ],
    [
      'a pattern with a million repetitions',
      one({ pattern: '((a{100}){100}){100}' }),
      '.properties.x.pattern',
      'invalid repeat count',
    ],
    [
      'too many patterns',
      object(Object.fromEntries(times(9, (n) => [`p${n}`, { pattern: `${n}[a-z]{600}` }]))),
      '.properties.p6.pattern',
      'too much',
    ],
    [
      'many Unicode classes, which take long to compile',
      object(Object.fromEntries(times(9, (n) => [`p${n}`, { pattern: `${n}${'[\\pL\\pN]'.repeat(20)}` }]))),
      '.properties.p3.pattern',
      'too much',
    ],
    [
      'a definition that refers to itself',
      object({ x: { $ref: '#/$defs/a' } }, { $defs: { a: { $ref: '#/$defs/a' } } }),
      '.$defs.a',
      'without end',
    ],
    [
      'definitions that refer to each other',
      object({}, { $defs: { a: { anyOf: [{ $ref: '#/$defs/b' }] }, b: { not: { if: { $ref: '#/$defs/a' } } } } }),
      '.$defs.a',
      'without end',
    ],
    [
      'a definition that refers to itself in a dependency',
      object({}, { definitions: { a: { dependencies: { x: { $ref: '#/definitions/a' } } } } }),
      '.definitions.a',
      'without end',
    ],
    [
      'both kinds of dependencies',
      object({}, { dependencies: {}, dependentSchemas: {} }),
      '.dependencies',
      'must not stand beside',
    ],
    ['9 levels of schemas', inside(8), '.properties.x'.repeat(8), 'deeper than 8 levels'],
    ['lists in an enum', one({ enum: [lists(40)] }), '', 'deeper than 32 levels'],
    ['101 properties', object(named(101)), '', 'more than 100 properties'],
    [
      '101 properties in two places',
      object({ a: object(named(50)), b: object(named(49)) }),
      '',
      'more than 100 properties',
    ],
    ['257 schemas', one({ anyOf: times(255, () => ({})) }), '', 'more than 256 schemas'],
    ['more than 16 KB', one({ enum: ['x'.repeat(16_384)] }), '', 'greater than 16,384 bytes'],
  ])('is refused with the field and the reason: %s', (_name, schema, path, sentence) => {
    const problems = schemaProblems(schema);
    expect(Object.keys(problems)).toEqual([`parameters${path}`]);
    expect(Object.values(problems)[0]?.[0]).toContain(sentence);
  });

  it('is refused with all problems at once', () => {
    const schema = object({ a: { type: 'x', minLength: 'y' }, b: { $ref: '#/no' } }, { required: 1 });
    expect(Object.keys(schemaProblems(schema)).map((key) => key.replace('parameters.', ''))).toEqual([
      'required',
      'properties.a.type',
      'properties.a.minLength',
      'properties.b.$ref',
    ]);
  });
});

describe('the input schema of a tool may contain', () => {
  it.each<[string, object]>([
    ['properties without constraints', object({ x: true, y: {} })],
    [
      '$id and $schema',
      { $id: 'https://example.com/s', $schema: 'https://json-schema.org/draft/2020-12/schema', ...object({}) },
    ],
    ['draft 07', { $schema: 'http://json-schema.org/draft-07/schema#', ...object({}) }],
    [
      'annotations',
      object({ x: { title: 't', description: 'd', default: 1, examples: [1], deprecated: true, $comment: 'c' } }),
    ],
    ['unknown keywords', object({ x: { 'x-order': 1, example: 'y', discriminator: { propertyName: 'z' } } })],
    ['8 levels of schemas', inside(7)],
    ['100 properties', object(named(100))],
    ['256 schemas', one({ anyOf: times(254, () => ({})) })],
    [
      'properties with the names of methods',
      object({ toString: { type: 'string' }, valueOf: {} }, { required: ['toString'] }),
    ],
    [
      'a tree',
      object({ x: { $ref: '#/$defs/t' } }, { $defs: { t: object({ items: { items: { $ref: '#/$defs/t' } } }) } }),
    ],
    ['a phone number', one({ pattern: '^\\+[1-9]\\d{1,14}$' })],
    ['a name of up to 1,000 characters', one({ pattern: '^.{0,1000}$' })],
    ['letters of any script', one({ pattern: '^[\\p{L}\\u00e9 ]+$' })],
  ])('%s', (_name, schema) => {
    expect(schemaProblems(schema)).toEqual({});
    expect(argumentProblems(schema as Record<string, unknown>, null)).toEqual(['arguments: must be object']);
  });
});

const TOO_MUCH = ['arguments: there is too much to check; give fewer or shorter values'];

/** Each multiplies the schema with the arguments, or with itself; unbounded, the worst would run for years. */
describe('arguments that would take too long to validate', () => {
  const doubled = (levels: number) =>
    Object.fromEntries(
      times(levels, (n) => [
        `d${n}`,
        n === 0 ? { type: 'null' } : { anyOf: times(4, () => ({ $ref: `#/$defs/d${n - 1}` })) },
      ]),
    );
  const tree = object(
    { x: { $ref: '#/$defs/t' } },
    { $defs: { t: { anyOf: times(9, () => object({ c: { $ref: '#/$defs/t' } }, { required: ['no'] })) } } },
  );
  const chain = (levels: number): object => (levels === 0 ? {} : { c: chain(levels - 1) });
  const objects = times(700, (n) => ({ a: 1, b: 2, c: n }));

  it.each<[string, object, unknown]>([
    ['references to references', object({ x: { $ref: '#/$defs/d40' } }, { $defs: doubled(41) }), { x: 1 }],
    ['a tree of branches', tree, { x: chain(12) }],
    ['distinct objects', one({ uniqueItems: true }), { x: objects }],
    [
      'branches for each of many items',
      one({ items: { anyOf: times(200, (n) => ({ const: n })) } }),
      { x: times(4_000, () => -1) },
    ],
    [
      'nested contains',
      one({
        contains: { contains: { const: 1 } },
        items: { anyOf: times(60, (n) => ({ minItems: n + 9, maxItems: 8 })) },
      }),
      { x: times(1_300, () => [0, 0]) },
    ],
    [
      'patterns for each of many names',
      object({}, { patternProperties: Object.fromEntries(times(50, (n) => [`${n}$`, false])) }),
      named(2_000, 0),
    ],
    ['a long program over a long text', one({ pattern: '(a|b)*c[ab]{200}' }), { x: 'ab'.repeat(8_000) }],
    [
      'many choices for many values',
      one({ items: { enum: times(1_000, (n) => `value ${n}`) } }),
      { x: times(3_000, () => 'no') },
    ],
    [
      'many required names',
      object({ x: { items: { required: times(80, (n) => `name_${n}`) } } }),
      { x: times(3_000, () => ({})) },
    ],
  ])('are refused: %s', (_name, schema, args) => {
    expect(schemaProblems(schema)).toEqual({});
    expect(argumentProblems(schema as Record<string, unknown>, args)).toEqual(TOO_MUCH);
  });

  it.each<[string, object, unknown, string[] | undefined]>([
    [
      'a pattern that backtracks in other engines',
      one({ pattern: '^(a+)+$' }),
      { x: `${'a'.repeat(20_000)}!` },
      [expect.stringContaining('must match') as never],
    ],
    [
      'an address of 2,049 characters',
      one({ format: 'email' }),
      { x: `${'a.'.repeat(1_100)}@` },
      ['x: must match format "email"'],
    ],
    ['300 distinct objects', one({ uniqueItems: true }), { x: objects.slice(0, 200) }, undefined],
    [
      '1,000 distinct names',
      one({ items: { type: 'string' }, uniqueItems: true }),
      { x: times(900, String) },
      undefined,
    ],
    [
      'a text of 30 KB',
      one({ type: 'string', maxLength: 40_000, pattern: '^[^<>]*$' }),
      { x: 'ä'.repeat(15_000) },
      undefined,
    ],
    [
      'a tree of 14 levels',
      object({ x: { $ref: '#/$defs/t' } }, { $defs: { t: object({ c: { $ref: '#/$defs/t' } }) } }),
      { x: chain(14) },
      undefined,
    ],
    ['too deeply nested arguments', object({}), chain(17), ['arguments: must not be nested deeper than 16 levels']],
    ['too many values', object({}), { x: times(4_096, () => 0) }, ['arguments: must not have more than 4,096 values']],
    [
      'too much JSON',
      object({}),
      { x: 'x'.repeat(32_768) },
      ['arguments: must not be greater than 32,768 bytes of JSON'],
    ],
    [
      'more errors than are reported',
      object({ x: { items: { type: 'null' } } }),
      { x: times(3_000, () => 1) },
      times(10, (n) => `x.${n}: must be null`),
    ],
  ])('are refused, and others are validated: %s', (_name, schema, args, expected) => {
    expect(argumentProblems(schema as Record<string, unknown>, args)).toEqual(expected);
  });
});
