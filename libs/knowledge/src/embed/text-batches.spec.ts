import { expect, it } from '@jest/globals';
import { textBatches } from './http-embedder.js';

it.each<[string, string[], string[][]]>([
  ['none', [], []],
  ['as many as fit', ['a', 'b', 'c', 'd'], [['a', 'b', 'c'], ['d']]],
  [
    'as many tokens as fit',
    ['x'.repeat(15), 'y'.repeat(12), 'z'.repeat(6)],
    [['x'.repeat(15), 'y'.repeat(12)], ['z'.repeat(6)]],
  ],
  ['one that is too long alone', ['a', 'x'.repeat(300), 'b'], [['a'], ['x'.repeat(300)], ['b']]],
  [
    'bytes count, not characters',
    ['日本語', '日本語', '日本語', '日本語'],
    [['日本語', '日本語', '日本語'], ['日本語']],
  ],
])('batches: %s', (_, texts, batches) => expect(textBatches(texts, { texts: 3, tokens: 9 })).toEqual(batches));
