import { describe, expect, it } from '@jest/globals';
import { RestingPorts } from './resting-ports.js';

const takeAll = (ports: RestingPorts): number[] => Array.from({ length: ports.count }, () => ports.take()!);

describe('resting ports', () => {
  it.each([
    [10, 15, [10, 12, 14]],
    [11, 16, [12, 14, 16]],
    [11, 11, []],
    [20, 10, []],
  ])('of %i to %i are the even ones', (min, max, expected) => {
    const ports = new RestingPorts({ min, max });
    expect(takeAll(ports)).toEqual(expected);
    expect(ports.take()).toBeUndefined();
  });

  it('come back in the order in which they were left, however often the ring goes round', () => {
    const ports = new RestingPorts({ min: 10, max: 19 });
    for (let round = 0; round < 7; round++) {
      const [a, b, c] = [ports.take()!, ports.take()!, ports.take()!];
      for (const port of [b, c, a]) ports.add(port);
      const all = takeAll(ports);
      expect(all.slice(-3)).toEqual([b, c, a]);
      expect(all.toSorted((x, y) => x - y)).toEqual([10, 12, 14, 16, 18]);
      for (const port of all) ports.add(port);
    }
  });
});
