import { describe, expect, it } from '@jest/globals';
import { valueAtPointer } from './json-pointer.js';

/** The document of RFC 6901, section 5. */
const DOCUMENT = {
  foo: ['bar', 'baz'],
  '': 0,
  'a/b': 1,
  'c%d': 2,
  'e^f': 3,
  'g|h': 4,
  'i\\j': 5,
  'k"l': 6,
  ' ': 7,
  'm~n': 8,
};

describe('a JSON pointer', () => {
  it.each<[string, unknown]>([
    ['', DOCUMENT],
    ['/foo', ['bar', 'baz']],
    ['/foo/0', 'bar'],
    ['/', 0],
    ['/a~1b', 1],
    ['/c%d', 2],
    ['/e^f', 3],
    ['/g|h', 4],
    ['/i\\j', 5],
    ['/k"l', 6],
    ['/ ', 7],
    ['/m~0n', 8],
    ['/foo/2', undefined],
    ['/foo/-', undefined],
    ['/foo/00', undefined],
    ['/foo/length', undefined],
    ['/foo/0/length', undefined],
    ['/constructor', undefined],
    ['/__proto__', undefined],
    ['/missing/deeper', undefined],
    ['foo', undefined],
    ['/m~2n', undefined],
  ])('%j finds %j', (pointer, value) => {
    expect(valueAtPointer(DOCUMENT, pointer)).toEqual(value);
  });

  it('reads ~01 as ~1 and not as a slash', () => {
    expect(valueAtPointer({ '~1': 'tilde one', '/': 'slash' }, '/~01')).toBe('tilde one');
  });
});
