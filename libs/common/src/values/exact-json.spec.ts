import { describe, expect, it } from '@jest/globals';
import { exactNumbers, hasInexactNumber, inexactNumberPaths, readJson } from './exact-json.js';

describe('JSON whose numbers keep their digits', () => {
  it.each<[string, unknown]>([
    ['{"order_id":8389765929445198309}', { order_id: '8389765929445198309' }],
    [
      '[-9007199254740993, 9007199254740992, 9007199254740991]',
      ['-9007199254740993', 9007199254740992, 9007199254740991],
    ],
    ['[10000000000000000000000, 1e300, 1.5e20]', [1e22, 1e300, 1.5e20]],
    ['[1e999, 12345678901234567.25]', ['1e999', '12345678901234567.25']],
    ['[3.141592653589793238, 0.30000000000000004]', [3.141592653589793, 0.30000000000000004]],
    [
      String.raw`{"a":"8389765929445198309","b\"1":"x 8389765929445198309 \\","8389765929445198309":1}`,
      { a: '8389765929445198309', 'b"1': 'x 8389765929445198309 \\', '8389765929445198309': 1 },
    ],
    ['8389765929445198309', '8389765929445198309'],
    [' {"a" : [ 1 , true , null , "" ] } ', { a: [1, true, null, ''] }],
  ])('%s', (text, value) => {
    expect(readJson(text)).toEqual(value);
    expect(JSON.parse(exactNumbers(text))).toEqual(value);
  });

  it.each([
    '{"a":83897659294451983091"}',
    '{8389765929445198309:1}',
    '08389765929445198309',
    '[1 8389765929445198309]',
    '',
  ])('%j stays invalid', (text) => expect(() => readJson(text)).toThrow(SyntaxError));

  it('the paths of inexact numbers are found', () => {
    const text =
      '{"metadata":{"order":{"id":8389765929445198309,"at":1}},"list":[1,9007199254740993],"text":"9007199254740993"}';
    expect(inexactNumberPaths(text)).toEqual(['metadata.order.id', 'list.1']);
    expect(inexactNumberPaths('{"a":1}')).toEqual([]);
  });

  it.each([`99999999999999999.${'0'.repeat(250_000)}1`, `9e${'0'.repeat(250_000)}20`, '9'.repeat(250_000)])(
    'a number of 250,000 characters is inexact, without work that grows with its square',
    (number) => expect(inexactNumberPaths(`{"a":${number}}`)).toEqual(['a']),
  );

  it('a value that was read elsewhere may have lost digits', () => {
    expect(hasInexactNumber({ a: [{ b: 8389765929445198000 }] })).toBe(true);
    expect(hasInexactNumber({ a: ['8389765929445198309', 9007199254740991, null] })).toBe(false);
  });

  it('long texts with many escapes are read', () => {
    const text = 'a\\"'.repeat(1_000_000);
    expect(readJson(JSON.stringify([text, 1]).replace(',1', ',8389765929445198309'))).toEqual([
      text,
      '8389765929445198309',
    ]);
  });
});
