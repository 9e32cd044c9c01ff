import { describe, expect, it } from '@jest/globals';
import { GCProfiler } from 'node:v8';
import { LiveSet } from './live-set.js';

describe('a live set', () => {
  it('has what was added and not removed, whose places are used again', () => {
    const set = new LiveSet<{ name: string }>();
    const removeFirst = set.add({ name: 'first' });
    set.add({ name: 'second' });
    removeFirst();
    expect([set.size, set.values()]).toEqual([1, [{ name: 'second' }]]);
    set.add({ name: 'third' });
    removeFirst();
    expect([set.size, set.values()]).toEqual([2, [{ name: 'third' }, { name: 'second' }]]);
  });

  it('that is old does not keep removed objects for the next collections', () => {
    const set = new LiveSet<object>();
    const call = () => ({ parts: Array.from({ length: 200 }, (_, part) => ({ part })) });
    const removals = Array.from({ length: 50 }, () => set.add(call()));
    // Several scavenges move the set into the old generation.
    for (let garbage = 0; garbage < 20_000; garbage++) call();
    // How many rounds there are between two scavenges depends on the size of the young generation.
    const scavenges: Collection[] = [];
    while (scavenges.length < 2) {
      const collector = new GCProfiler();
      collector.start();
      for (let round = 0; round < 30_000; round++) {
        removals[round % 50]!();
        removals[round % 50] = set.add(call());
      }
      scavenges.push(...collector.stop().statistics.filter(({ gcType }) => gcType === 'Scavenge'));
    }
    const promoted = scavenges.reduce((sum, { beforeGC, afterGC }) => sum + oldBytes(afterGC) - oldBytes(beforeGC), 0);
    // A few KB; a Set here: 130 MB.
    expect(promoted).toBeLessThan(5_000_000);
  });
});

type Collection = ReturnType<GCProfiler['stop']>['statistics'][number];

const oldBytes = ({
  heapSpaceStatistics,
}: {
  heapSpaceStatistics: { spaceName: string; spaceUsedSize: number }[];
}): number => heapSpaceStatistics.find(({ spaceName }) => spaceName === 'old_space')!.spaceUsedSize;
