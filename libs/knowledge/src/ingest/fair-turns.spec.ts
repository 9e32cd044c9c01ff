import { expect, it } from '@jest/globals';
import { FairTurns } from './fair-turns.js';

const calm = new AbortController().signal;

/** Everybody comes at once; each turn ends as soon as it has begun. */
async function order(free: number, accounts: number[]): Promise<string> {
  const turns = new FairTurns(free);
  const served: number[] = [];
  await Promise.all(
    accounts.map(async (account) => {
      const end = await turns.take(account, calm);
      served.push(account);
      await Promise.resolve();
      end();
    }),
  );
  return served.join('');
}

it.each([
  [1, [1, 1, 1, 1, 2], '12111'],
  [1, [1, 1, 1, 2, 2, 3], '123121'],
  [2, [1, 1, 1, 1, 2, 2], '112121'],
])('with %i at once, %j are served in the order %s', async (free, accounts, expected) => {
  expect(await order(free, accounts)).toBe(expected);
});

it('one who gives up leaves the line', async () => {
  const turns = new FairTurns(1);
  const end = await turns.take(1, calm);
  const stop = new AbortController();
  const gaveUp = turns.take(2, stop.signal);
  const next = turns.take(3, calm);
  stop.abort(new Error('enough'));
  await expect(gaveUp).rejects.toThrow('enough');
  end();
  (await next)();
  (await turns.take(4, calm))();
});
