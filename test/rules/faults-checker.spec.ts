import { describe, expect, it } from '@jest/globals';
import { judge, type Arrival, type Committed } from '../faults/checker.js';

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
    ['accepts each webhook once, in order', [came('b1'), came('a1'), came('a2')], {}],
    ['reports a webhook that never arrived as lost', [came('a1'), came('a2')], { lost: 1 }],
    [
      'reports a webhook that was never accepted as lost',
      [came('a1'), came('a2'), came('b1', { accepted: false })],
      { lost: 1 },
    ],
    ['accepts a repetition after an error', [came('a1', { accepted: false }), came('a1'), came('a2'), came('b1')], {}],
    [
      'reports a repetition after a 200 as a duplicate',
      [came('a1'), came('a2'), came('a1'), came('b1')],
      { duplicates: 1 },
    ],
    [
      'reports the second webhook before the first as out of order',
      [came('a2'), came('a1'), came('b1')],
      { outOfOrder: 1 },
    ],
    [
      'reports the second webhook before the retry of the first as out of order',
      [came('a1', { accepted: false }), came('a2'), came('a1'), came('b1')],
      { outOfOrder: 1 },
    ],
    ['reports a changed body as altered', [came('a1'), came('a2', { body: 'x' }), came('b1')], { altered: 1 }],
    [
      'reports a duplicate with another body as altered',
      [came('a1'), came('a2'), came('a2', { body: 'x' }), came('b1')],
      { duplicates: 1, altered: 1 },
    ],
    ['reports a wrong signature as altered', [came('a1'), came('a2'), came('b1', { genuine: false })], { altered: 1 }],
    ['reports an unknown id as altered', [came('a1'), came('a2'), came('b1'), came('c1')], { altered: 1 }],
  ])('%s', (_, arrivals, found) => expect(judge(committed, arrivals)).toEqual({ ...fine, ...found }));
});
