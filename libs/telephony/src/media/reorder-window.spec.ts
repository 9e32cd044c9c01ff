import { describe, expect, it } from '@jest/globals';
import { ReorderWindow } from './reorder-window.js';

/** `[sequence, arrival ms]` in the order of arrival; a lone number is the passing of time. */
function released(steps: ([number, number] | number)[]): number[] {
  const out: number[] = [];
  const window = new ReorderWindow<number>({ release: (item) => out.push(item), late: () => undefined });
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

  it('releases waiting packets when the numbering restarts', () => {
    const out: number[] = [];
    const window = new ReorderWindow<number>({ release: (item) => out.push(item), late: () => undefined });
    window.push(1, 1, 0);
    window.push(3, 3, 1);
    window.reset();
    window.push(1_000, 1_000, 2);
    expect(out).toEqual([1, 3, 1_000]);
  });

  it('reports missing packets and late ones', () => {
    const out: string[] = [];
    const window = new ReorderWindow<number>({
      release: (item, missing) => out.push(`${item} after ${missing}`),
      late: (item) => out.push(`${item} late`),
    });
    window.push(1, 1, 0);
    window.push(4, 4, 20);
    window.expire(100);
    window.push(3, 3, 110);
    expect(out).toEqual(['1 after 0', '4 after 2', '3 late']);
  });

  /** Packets every 20 ms of which every tenth comes so late, or (undefined) never. */
  function waitAfter(packets: number, lateMs: number | undefined): number {
    const window = new ReorderWindow<number>({ release: () => undefined, late: () => undefined });
    const arrivals: [number, number][] = [];
    for (let n = 0; n < packets; n++) {
      if (n % 10 !== 5) arrivals.push([n, n * 20]);
      else if (lateMs !== undefined) arrivals.push([n, n * 20 + lateMs]);
    }
    arrivals.sort(([, one], [, other]) => one - other);
    for (const [n, at] of arrivals) {
      window.expire(at);
      window.push(n, n, at);
    }
    return window.waitMs;
  }

  it.each([
    ['a clean network', 9, undefined, 60],
    ['packets that come 105 ms late', 200, 105, 105],
    ['packets that come 300 ms late', 400, 300, 120],
    ['packets that never come', 1_000, undefined, 20],
  ])('%s: the wait adapts to the network', (_name, packets, lateMs, expected) => {
    expect(Math.abs(waitAfter(packets, lateMs) - expected)).toBeLessThanOrEqual(20);
  });
});
