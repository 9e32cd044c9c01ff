import { describe, expect, it } from '@jest/globals';
import { ReorderWindow } from './reorder-window.js';

/** `[sequence, arrival ms]` in the order of arrival; a lone number is the passing of time. */
function released(steps: ([number, number] | number)[]): number[] {
  const out: number[] = [];
  const window = new ReorderWindow<number>((item) => out.push(item));
  for (const step of steps) {
    if (typeof step === 'number') window.expire(step);
    else window.push(step[0], step[0], step[1]);
  }
  return out;
}

/** So many packets at once, of which the first follows a lost one. */
const flood = (count: number) => Array.from({ length: count }, (_, n): [number, number] => [n + 3, 1]);

describe('reorder window', () => {
  it.each<[string, ([number, number] | number)[], number[]]>([
    [
      'in order: nothing waits',
      [
        [1, 0],
        [2, 20],
        [3, 40],
      ],
      [1, 2, 3],
    ],
    [
      'two swapped',
      [
        [1, 0],
        [3, 20],
        [2, 25],
      ],
      [1, 2, 3],
    ],
    [
      'three in reverse',
      [
        [1, 0],
        [4, 1],
        [3, 2],
        [2, 3],
        [5, 4],
      ],
      [1, 2, 3, 4, 5],
    ],
    ['a lost one holds the next back', [[1, 0], [3, 40], 80], [1]],
    ['for 60 ms', [[1, 0], [3, 40], 100], [1, 3]],
    ['and with it those that follow', [[1, 0], [3, 40], [4, 60], [6, 80], 100], [1, 3, 4]],
    ['too late', [[1, 0], [3, 40], 100, [2, 101], [4, 102], 200], [1, 3, 4]],
    ['32 wait for a lost one', [[1, 0], ...flood(32)], [1]],
    ['33 do not', [[1, 0], ...flood(33)], [1, ...flood(33).map(([sequence]) => sequence)]],
  ])('%s', (_name, steps, expected) => expect(released(steps)).toEqual(expected));

  it('hands on what waits when the numbering starts over', () => {
    const out: number[] = [];
    const window = new ReorderWindow<number>((item) => out.push(item));
    window.push(1, 1, 0);
    window.push(3, 3, 1);
    window.reset();
    window.push(1_000, 1_000, 2);
    expect(out).toEqual([1, 3, 1_000]);
  });
});
