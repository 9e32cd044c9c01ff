import { describe, expect, it } from '@jest/globals';
import { jsonSyntaxProblem } from './json-syntax.js';

describe('the place at which text stops to be JSON', () => {
  const value = 'expected a value: text in double quotes, a number, true, false, null, an object or a list';
  it.each<[string, string | undefined]>([
    ['{"a": 1 "b": 2}', 'Line 1, column 9: expected a comma or a closing bracket.'],
    ['{"a": 1,}', 'Line 1, column 9: expected the name of a field in double quotes.'],
    ['{a: 1}', 'Line 1, column 2: expected the name of a field in double quotes.'],
    ["{'a': 1}", 'Line 1, column 2: expected the name of a field in double quotes.'],
    ['{"a" 1}', 'Line 1, column 6: expected a colon.'],
    ['{\n  "a": True\n}', `Line 2, column 8: ${value}.`],
    ['{\n  "a": [1,, 2]\n}', `Line 2, column 11: ${value}.`],
    ['{"a": [1, 2}', 'Line 1, column 12: expected a comma or a closing bracket.'],
    ['{"a": 1', 'Line 1, column 8: expected a comma or }.'],
    ['{"a": "b', 'Line 1, column 7: the text does not end with a double quote in its line.'],
    ['{"a": 1} // c', 'Line 1, column 10: JSON has no comments.'],
    ['{"a": 1} b', 'Line 1, column 10: expected nothing after the JSON value.'],
    ['{"a": 1}}', 'Line 1, column 9: expected nothing after the JSON value.'],
    ['{"a": 1}', undefined],
  ])('of %j is %s', (text, expected) => {
    expect(jsonSyntaxProblem(text)).toBe(expected);
  });

  it('is not looked for in text that is nested too deeply', () => {
    expect(jsonSyntaxProblem('['.repeat(200_000))).toBeUndefined();
  });
});
