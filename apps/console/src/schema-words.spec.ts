import { describe, expect, it } from '@jest/globals';
import { schemaInWords, withProperty } from './schema-words.js';

const text = { name: 'city', type: 'string', description: 'Where.', isRequired: true };

describe('an edited schema', () => {
  it.each([
    [{}, 'It must say "type": "object".'],
    [{ type: 'object' }, 'No arguments.'],
    [{ type: 'object', properties: null, required: 4 }, 'No arguments.'],
    [
      { type: 'object', properties: { a: { type: 'integer' }, b: true }, required: ['a'] },
      '2 arguments: a (whole number), b (anything, optional).',
    ],
    [{ type: 'object', properties: {}, required: ['a'] }, 'No arguments. Required, but not described: a.'],
  ])('%j is: %s', (schema, words) => expect(schemaInWords(schema)).toBe(words));

  it('gets one more property, and keeps what else it says', () => {
    const before = { type: 'object', properties: { a: { type: 'number' } }, additionalProperties: false };
    const after = withProperty(before, text);
    expect(after).toEqual({
      type: 'object',
      properties: { a: { type: 'number' }, city: { type: 'string', description: 'Where.' } },
      required: ['city'],
      additionalProperties: false,
    });
    expect(withProperty(after, { ...text, description: '', isRequired: false })).toMatchObject({
      properties: { city: { type: 'string' } },
      required: [],
    });
  });
});
