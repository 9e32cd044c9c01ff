import { describe, expect, it } from '@jest/globals';
import { readObject, schemaInWords } from './json-text.js';

describe('a JSON object in an input', () => {
  it.each([
    ['{"a":1,}', /^Line 1, column 8: Expected double-quoted property name\.$/],
    ['{\n  "a" 1\n}', /^Line 2, column 7: Expected ':' after property name\.$/],
    ['{"a":', /^This is not JSON: Unexpected end of JSON input\.$/],
    ['nonsense', /Unexpected 'o'/],
    ['[]', /^This must be a JSON object/],
    ['null', /^This must be a JSON object/],
  ])('rejects %j with the reason and its position', (written, sentence) =>
    expect(readObject(written)).toEqual({ problem: expect.stringMatching(sentence) }),
  );

  it('accepts an object', () => expect(readObject(' {"a": [1]} ')).toEqual({ value: { a: [1] } }));
});

describe('an edited schema', () => {
  it.each([
    [{}, 'The schema must have "type": "object".'],
    [{ type: 'object' }, 'No arguments.'],
    [{ type: 'object', properties: null, required: 4 }, 'No arguments.'],
    [
      { type: 'object', properties: { a: { type: 'integer' }, b: true }, required: ['a'] },
      '2 arguments: a (whole number), b (anything, optional).',
    ],
    [{ type: 'object', properties: {}, required: ['a'] }, 'No arguments. Required but not defined: a.'],
  ])('%j is described as: %s', (schema, words) => expect(schemaInWords(schema)).toBe(words));
});
