import { describe, expect, it } from '@jest/globals';
import { newProperty, repeatedName, SCHEMA_FORM, type SchemaState } from './schema-form.js';

const stateOf = (schema: object): SchemaState => {
  const found = SCHEMA_FORM.read(schema as Record<string, unknown>);
  if (!('state' in found)) throw new Error(found.reason);
  return found.state;
};

describe('the form of a JSON Schema', () => {
  it.each([
    ['no properties', { type: 'object', properties: {} }],
    ['an empty list of required names', { type: 'object', properties: {}, required: [] }],
    [
      'every type with its constraints',
      {
        type: 'object',
        properties: {
          date: { type: 'string', format: 'date', description: 'The day.' },
          order: { type: 'string', pattern: '^\\d{4}$', minLength: 4, maxLength: 4 },
          size: { type: 'string', enum: ['small', 'extra large'] },
          guests: { type: 'integer', minimum: 0, maximum: 12 },
          price: { type: 'number', minimum: 0.5 },
          child: { type: 'boolean' },
          tags: { type: 'array', items: { type: 'string' }, maxItems: 3 },
        },
        required: ['guests', 'date'],
        additionalProperties: false,
      },
    ],
    ['words about the whole', { $schema: 'x', title: 'T', description: 'D', type: 'object', properties: {} }],
  ])('shows %s and loses nothing', (_what, schema) => {
    expect(SCHEMA_FORM.write(stateOf(schema))).toEqual(schema);
  });

  it.each([
    ['another type', { type: 'array' }, 'The schema must have "type": "object".'],
    ['definitions', { type: 'object', $defs: {} }, 'The schema uses “$defs”, which has no field here.'],
    ['a default', { type: 'object', properties: { a: { type: 'string', default: 'x' } } }, '“a” uses “default”'],
    ['a reference', { type: 'object', properties: { a: { $ref: '#' } } }, '“a” has no type'],
    ['several types', { type: 'object', properties: { a: { type: ['string', 'null'] } } }, '“a” has no type'],
    ['an object inside', { type: 'object', properties: { a: { type: 'object' } } }, '“a” is an object'],
    [
      'a list of numbers',
      { type: 'object', properties: { a: { type: 'array', items: { type: 'number' } } } },
      '“a” is',
    ],
    ['a list of lengths', { type: 'object', properties: { a: { type: 'integer', minLength: 1 } } }, '“a” uses'],
    ['values of several types', { type: 'object', properties: { a: { type: 'string', enum: ['a', 1] } } }, '“a” has'],
    ['a value with a line break', { type: 'object', properties: { a: { type: 'string', enum: ['a\nb'] } } }, '“a” has'],
    ['an empty description', { type: 'object', properties: { a: { type: 'string', description: '' } } }, '“descr'],
    ['required but not defined', { type: 'object', properties: {}, required: ['a'] }, '“required” names "a"'],
    ['a schema of others', { type: 'object', additionalProperties: { type: 'string' } }, '“additionalProperties”'],
  ])('leaves %s to JSON, with the reason', (_what, schema, reason) => {
    const found = SCHEMA_FORM.read(schema);
    expect(found).toEqual({ reason: expect.stringContaining(reason) });
  });

  it('writes rows that are typed, without those that have no name yet, and without constraints of another type', () => {
    const row = { ...newProperty(0), name: ' guests ', type: 'integer' as const };
    const constraints = { minimum: '1', maximum: 'many', pattern: 'x' };
    const state = { rows: [{ ...row, constraints }, newProperty(1)], rest: { type: 'object' } };
    expect(SCHEMA_FORM.write(state)).toEqual({
      type: 'object',
      properties: { guests: { type: 'integer', minimum: 1, maximum: 'many' } },
      required: ['guests'],
    });
  });

  it('finds a name that occurs twice', () => {
    const named = (name: string) => ({ name });
    expect(repeatedName([named('a'), named(''), named(''), named('b '), named('b')])).toBe('b');
    expect(repeatedName([named('a'), named('')])).toBeUndefined();
  });
});
