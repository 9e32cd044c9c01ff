import { expect, it } from '@jest/globals';
import { pathToFileURL } from 'node:url';
import type { Footprint } from '../../../bench/soak-subject.js';

interface Bench {
  soak: (atOnce: number, totals: number[]) => Promise<Footprint[]>;
}

const BUILT = pathToFileURL(`${process.cwd()}/dist/bench/soak.js`).href;

it('after 300 short calls with audio the process holds the same resources as after 100', async () => {
  const { soak } = (await import(BUILT)) as Bench;
  const [first, last] = (await soak(50, [100, 300])) as [Footprint, Footprint];
  expect([first.calls, last.calls]).toEqual([100, 300]);
  expect([first.wrong, last.wrong]).toEqual([0, 0]);
  expect(last.held).toBe(0);
  expect(last.files).toBeLessThanOrEqual(first.files);
  expect(last.timers).toBeLessThanOrEqual(first.timers);
  expect(last.listeners).toBe(0);
  expect(last.heapMb - first.heapMb).toBeLessThan(5);
});
