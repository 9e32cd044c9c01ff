import { describe, expect, it } from '@jest/globals';
import { judge, type Arrival, type Committed } from './faults/checker.js';

const committed: Committed[] = [
  { id: 'a1', streamId: 'a', sequence: 1, body: 'A1' },
  { id: 'a2', streamId: 'a', sequence: 2, body: 'A2' },
  { id: 'b1', streamId: 'b', sequence: 1, body: 'B1' },
];
const came = (id: string, more: Partial<Arrival> = {}): Arrival => ({
  id,
  body: id.toUpperCase(),
  accepted: true,
  genuine: true,
  ...more,
});
const fine = { lost: 0, duplicates: 0, outOfOrder: 0, altered: 0 };

describe('the checker of the fault matrix', () => {
  it.each<[string, Arrival[], Partial<typeof fine>]>([
    ['each once, in order', [came('b1'), came('a1'), came('a2')], {}],
    ['one that was never seen', [came('a1'), came('a2')], { lost: 1 }],
    ['one that was never accepted', [came('a1'), came('a2'), came('b1', { accepted: false })], { lost: 1 }],
    ['again after an error', [came('a1', { accepted: false }), came('a1'), came('a2'), came('b1')], {}],
    ['again after a 200', [came('a1'), came('a2'), came('a1'), came('b1')], { duplicates: 1 }],
    ['the second before the first', [came('a2'), came('a1'), came('b1')], { outOfOrder: 1 }],
    [
      'the second while the first is to be tried again',
      [came('a1', { accepted: false }), came('a2'), came('a1'), came('b1')],
      { outOfOrder: 1 },
    ],
    ['another body', [came('a1'), came('a2', { body: 'x' }), came('b1')], { altered: 1 }],
    [
      'another body of a duplicate',
      [came('a1'), came('a2'), came('a2', { body: 'x' }), came('b1')],
      { duplicates: 1, altered: 1 },
    ],
    ['a wrong signature', [came('a1'), came('a2'), came('b1', { genuine: false })], { altered: 1 }],
    ['an id that nobody committed', [came('a1'), came('a2'), came('b1'), came('c1')], { altered: 1 }],
  ])('%s', (_, arrivals, found) => expect(judge(committed, arrivals)).toEqual({ ...fine, ...found }));
});
