import { describe, expect, it } from '@jest/globals';
import { inSrvOrder, type SrvRecord } from './dns-lookups.js';

const srv = (name: string, priority: number, weight: number): SrvRecord => ({ name, port: 5060, priority, weight });
const names = (records: SrvRecord[]): string => records.map((one) => one.name).join('');

describe('SRV records (RFC 2782)', () => {
  const records = [srv('c', 20, 100), srv('a', 10, 60), srv('b', 10, 40), srv('d', 20, 0)];

  it.each([
    // The point is floor(random * (sum + 1)); of 0 the weightless are drawn.
    [0, 'abdc'],
    [0.5, 'abcd'],
    [0.61, 'bacd'],
    [0.999, 'bacd'],
  ])('drawn at %d are ordered as %s', (random, order) => {
    expect(names(inSrvOrder(records, () => random))).toBe(order);
  });

  it('of one priority come first in proportion to their weights', () => {
    const first = { a: 0, b: 0 };
    for (let i = 0; i < 1_000; i++)
      first[names(inSrvOrder([srv('b', 1, 25), srv('a', 1, 75)], () => i / 1_000))[0] as 'a' | 'b']++;
    expect(first.a).toBeGreaterThan(720);
    expect(first.a).toBeLessThan(780);
  });
});
