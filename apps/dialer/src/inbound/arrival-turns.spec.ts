import { describe, expect, it } from '@jest/globals';
import { ArrivalDesk, ArrivalTurns } from './arrival-turns.js';

/** A look-up that ends when the test says so. */
class LookUps {
  readonly running: { trunk: string; end: () => void }[] = [];
  readonly turns = new ArrivalTurns<string>();

  arrive(trunk: string): Promise<true | undefined> {
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

describe('inbound calls of accounts that share a carrier', () => {
  it('do not wait for each other once their trunks are known, however long one account takes to decide', async () => {
    const desk = new ArrivalDesk();
    const decisions: (() => void)[] = [];
    const arrive = (trunk: number, decide: () => Promise<boolean>): Promise<boolean> =>
      desk.receive(['7', '9'], async () => ({ trunk_id: trunk }), decide);
    const flood: Promise<boolean>[] = [];
    // A locked account: no call of the flood is decided.
    for (let call = 0; call < 200; call++) {
      flood.push(arrive(7, () => new Promise((end) => decisions.push(() => end(true)))));
      await settled();
    }
    expect(await arrive(9, async () => true)).toBe(true);
    expect(decisions).toHaveLength(2);
    while (decisions.length > 0) {
      for (const end of decisions.splice(0)) end();
      await settled();
    }
    expect((await Promise.all(flood)).filter((received) => received)).toHaveLength(52);
  });

  it('need no decision when none of the trunks has the number', async () => {
    const desk = new ArrivalDesk();
    const decide = (): Promise<boolean> => Promise.reject(new Error('decided'));
    expect(await desk.receive(['7', '9'], async () => undefined, decide)).toBe(true);
  });

  it('give up their turns when a look-up or a decision fails', async () => {
    const desk = new ArrivalDesk();
    const failing = (): Promise<never> => Promise.reject(new Error('the database is gone'));
    const found = async (): Promise<{ trunk_id: number }> => ({ trunk_id: 7 });
    for (let call = 0; call < 60; call++) {
      await expect(desk.receive(['7'], failing, async () => true)).rejects.toThrow('the database is gone');
      await expect(desk.receive(['7'], found, failing)).rejects.toThrow('the database is gone');
    }
    expect(await desk.receive(['7'], found, async () => true)).toBe(true);
  });
});
