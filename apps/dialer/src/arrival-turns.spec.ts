import { describe, expect, it } from '@jest/globals';
import { ArrivalTurns } from './arrival-turns.js';

/** A look-up that ends when the test says so. */
class LookUps {
  readonly running: { trunk: string; end: () => void }[] = [];
  readonly turns = new ArrivalTurns();

  arrive(trunk: string): Promise<boolean> {
    return this.turns.take(trunk, () => new Promise((end) => this.running.push({ trunk, end: () => end(true) })));
  }

  async endAll(): Promise<void> {
    while (this.running.length > 0) {
      for (const { end } of this.running.splice(0)) end();
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('inbound calls that are looked up', () => {
  it('of one trunk wait for each other, and those of another trunk do not wait for them', async () => {
    const lookUps = new LookUps();
    const flood = Array.from({ length: 40 }, () => lookUps.arrive('flooding'));
    const other = lookUps.arrive('other');
    await settled();
    expect(lookUps.running.map(({ trunk }) => trunk)).toEqual(['flooding', 'flooding', 'other']);
    await lookUps.endAll();
    expect(await Promise.all([...flood, other])).toEqual(Array(41).fill(true));
  });

  it('are refused when too many of their trunk wait, until the others have been looked up', async () => {
    const lookUps = new LookUps();
    const flood = Array.from({ length: 200 }, () => lookUps.arrive('flooding'));
    await settled();
    await lookUps.endAll();
    expect((await Promise.all(flood)).filter((received) => received)).toHaveLength(52);
    const later = lookUps.arrive('flooding');
    await settled();
    await lookUps.endAll();
    expect(await later).toBe(true);
  });
});
