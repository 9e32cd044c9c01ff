import { describe, expect, it } from '@jest/globals';
import { trunkHeaders } from './trunk-headers.js';

const headersOf = (value: unknown) => trunkHeaders({ 'X-Order': 'order' }, { order: value, other: 'never' });

describe('headers from metadata', () => {
  it.each([
    ['text', 'A-17', 'A-17'],
    ['text of another script', 'Müller 注文', 'Müller 注文'],
    ['text with space around it', '  A 17 ', 'A 17'],
    ['a number', 17.5, '17.5'],
    ['true', true, 'true'],
    ['256 characters', 'x'.repeat(256), 'x'.repeat(256)],
  ])('%s is sent', (_, value, sent) => expect(headersOf(value)).toEqual({ headers: { 'X-Order': sent }, dropped: [] }));

  it.each([
    ['a header of its own', 'a\r\nVia: b', 'line breaks'],
    ['a bare line feed', 'a\nb', 'line breaks'],
    ['a NUL', 'a\0b', 'control characters'],
    ['257 characters', 'x'.repeat(257), 'longer than 256'],
    ['nothing but space', '   ', 'empty'],
    ['a list', ['a'], 'only text'],
    ['an object', { toString: 'x' }, 'only text'],
  ])('%s is dropped and reported', (_, value, why) => {
    const { headers, dropped } = headersOf(value);
    expect(headers).toEqual({});
    expect(dropped).toEqual([{ header: 'X-Order', metadata_key: 'order', reason: expect.stringContaining(why) }]);
  });

  it.each([
    ['metadata without the key', { other: 1 }],
    ['a null', { order: null }],
    ['no metadata', null],
    ['a key of every object', JSON.parse('{}') as Record<string, unknown>],
  ])('%s sends and tells nothing', (_, metadata) => {
    expect(trunkHeaders({ 'X-Order': 'order', 'X-Proto': 'constructor' }, metadata)).toEqual({
      headers: {},
      dropped: [],
    });
  });
});
