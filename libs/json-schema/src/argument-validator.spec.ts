import { describe, expect, it } from '@jest/globals';
import { argumentProblems } from './argument-validator.js';

const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more });

describe('the arguments of a tool call', () => {
  it.each<[string, object, unknown, string[] | undefined]>([
    ['valid arguments', object({ city: { type: 'string' } }), { city: 'Bonn' }, undefined],
    ['no arguments', object({}), {}, undefined],
    ['a wrong type', object({ n: { type: 'integer' } }), { n: '7' }, ['n: must be integer']],
    ['a missing argument', object({}, { required: ['city'] }), {}, ['city: is required']],
    ['an unknown argument', object({}, { additionalProperties: false }), { a: 1 }, ['a: is not a parameter']],
    ['a value outside of an enum', object({ a: { enum: ['x', 1] } }), { a: 'y' }, ['a: must be one of ["x",1]']],
    ['another value than the constant', object({ a: { const: null } }), { a: 0 }, ['a: must be null']],
    [
      'a nested property',
      object({ a: object({ 'b/c': { maxLength: 1 } }) }),
      { a: { 'b/c': 'xy' } },
      ['a.b/c: must NOT have more than 1 characters'],
    ],
    ['an item of a list', object({ a: { items: { type: 'number' } } }), { a: [1, 'x'] }, ['a.1: must be number']],
    [
      'several problems',
      object({ a: { type: 'null' }, b: { type: 'null' } }),
      { a: 1, b: 2 },
      ['a: must be null', 'b: must be null'],
    ],
    ['a value that is not an object', object({}), [], ['arguments: must be object']],
    ['a pattern', object({ a: { pattern: '^\\+\\d+$' } }), { a: 'x' }, ['a: must match pattern "^\\+\\d+$"']],
    ['a format', object({ a: { format: 'date' } }), { a: '2026-02-30' }, ['a: must match format "date"']],
    [
      'property names',
      object({}, { propertyNames: { maxLength: 2 } }),
      { abc: 1 },
      expect.arrayContaining(['arguments: property name must be valid']) as never,
    ],
    ['an inherited name', object({}, { required: ['constructor'] }), {}, ['constructor: is required']],
    ['null for a nullable property', object({ a: { type: 'string', nullable: true } }), { a: null }, undefined],
    [
      'a tuple of draft 07',
      object({ a: { items: [{ type: 'string' }], additionalItems: false } }),
      { a: ['x', 1] },
      ['a: must NOT have more than 1 items'],
    ],
    [
      'a tuple',
      object({ a: { prefixItems: [{ type: 'string' }], items: { type: 'number' } } }),
      { a: ['x', 'y'] },
      ['a.1: must be number'],
    ],
    ['dependencies of draft 07', object({}, { dependencies: { a: ['b'] } }), { a: 1 }, ['b: is required']],
    [
      'a definition',
      object({ a: { $ref: '#/definitions/x~1y%25' } }, { definitions: { 'x/y%': { type: 'null' } } }),
      { a: 1 },
      ['a: must be null'],
    ],
    [
      'two definitions of one name',
      object(
        { a: { $ref: '#/$defs/x' }, b: { $ref: '#/definitions/x' } },
        { $defs: { x: { type: 'null' } }, definitions: { x: { type: 'number' } } },
      ),
      { a: null, b: 'x' },
      ['b: must be number'],
    ],
    [
      'a tree',
      object(
        { t: { $ref: '#/$defs/tree' } },
        { $defs: { tree: object({ left: { $ref: '#/$defs/tree' } }, { required: ['id'] }) } },
      ),
      { t: { id: 1, left: {} } },
      ['t.left.id: is required'],
    ],
    [
      'two patterns',
      object({ a: { pattern: '^a' }, b: { pattern: '^b' } }),
      { a: 'a', b: 'a' },
      ['b: must match pattern "^b"'],
    ],
    ['property names of methods', object({ a: { type: 'string' } }), { toString: 'x', valueOf: 1 }, undefined],
    [
      'property names of methods beside a comparison',
      object({ a: { const: { b: 1 } } }),
      { a: { toString: 'x' } },
      ['arguments: fields must not be named toString or valueOf'],
    ],
    ['text that contains such names', object({ a: { const: '"toString":' } }), { a: '"toString":' }, undefined],
    [
      'branches beside patterns of names',
      object({
        a: { if: {}, then: {}, else: object({ b: {} }), patternProperties: { '^a': { enum: [0], const: 1 } } },
      }),
      { a: { ab: 2 } },
      ['a.ab: must be 1', 'a.ab: must be one of [0]'],
    ],
    ['the length in characters, not in UTF-16 units', object({ a: { maxLength: 2 } }), { a: '😀😀' }, undefined],
  ])('are validated with problems that a model can correct: %s', (_name, schema, args, expected) => {
    expect(argumentProblems(schema as Record<string, unknown>, args)).toEqual(expected);
  });
});
