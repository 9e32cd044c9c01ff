import { describe, expect, it } from '@jest/globals';
import { readObject } from './json-text.js';

describe('a JSON object in an input', () => {
  it.each([
    ['{"a":1,}', /^Line 1, column 8: Expected double-quoted property name\.$/],
    ['{\n  "a" 1\n}', /^Line 2, column 7: Expected ':' after property name\.$/],
    ['{"a":', /^This is not JSON: Unexpected end of JSON input\.$/],
    ['nonsense', /Unexpected 'o'/],
    ['[]', /^This must be a JSON object/],
    ['null', /^This must be a JSON object/],
  ])('%j is not an object, and it is said why', (written, sentence) =>
    expect(readObject(written)).toEqual({ problem: expect.stringMatching(sentence) }),
  );

  it('is an object', () => expect(readObject(' {"a": [1]} ')).toEqual({ value: { a: [1] } }));
});
