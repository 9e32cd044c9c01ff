import { describe, expect, it } from '@jest/globals';
import { setImmediate as turn } from 'node:timers/promises';
import { Batches } from './batches.js';

interface Item {
  name: string;
}

/** Batches whose writes end when the test says so. */
function heldBatches(atOnce: number, most: number) {
  const writes: { names: string[]; end: (result?: (string | Error)[]) => void; fail: (error: Error) => void }[] = [];
  const batches = new Batches<Item, string>(
    (items) =>
      new Promise((resolve, reject) => {
        const names = items.map(({ name }) => name);
        writes.push({ names, end: (result = names) => resolve(result), fail: reject });
      }),
    { atOnce, most },
  );
  return {
    writes,
    load: (name: string) => batches.load({ name }),
    written: () => writes.map(({ names }) => names.join('')),
  };
}

describe('items of concurrent callers', () => {
  it('are written at once, and together while others are being written', async () => {
    const { writes, load, written } = heldBatches(2, 3);
    const first = load('a');
    await turn();
    const second = load('b');
    await turn();
    const later = ['c', 'd', 'e', 'f'].map(load);
    await turn();
    expect(written()).toEqual(['a', 'b']);
    writes[1]!.end();
    expect(await second).toBe('b');
    await turn();
    expect(written()).toEqual(['a', 'b', 'cde']);
    writes[0]!.end();
    writes[2]!.end();
    expect(await Promise.all([first, ...later.slice(0, 3)])).toEqual(['a', 'c', 'd', 'e']);
    await turn();
    expect(written()).toEqual(['a', 'b', 'cde', 'f']);
    writes[3]!.end();
    expect(await later[3]).toBe('f');
  });

  it('of one turn of the event loop are one batch', async () => {
    const { writes, load, written } = heldBatches(2, 64);
    const both = Promise.all([load('a'), load('b')]);
    await turn();
    expect(written()).toEqual(['ab']);
    writes[0]!.end();
    expect(await both).toEqual(['a', 'b']);
  });

  it('fail one by one, or all when the write fails; later ones are written', async () => {
    const { writes, load } = heldBatches(1, 64);
    const each = Promise.allSettled([load('a'), load('b')]);
    await turn();
    writes[0]!.end([new Error('wrong'), 'b']);
    expect((await each).map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
    const all = Promise.allSettled([load('c'), load('d')]);
    await turn();
    writes[1]!.fail(new Error('no connection'));
    expect((await all).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    const last = load('e');
    await turn();
    writes[2]!.end();
    expect(await last).toBe('e');
  });
});
