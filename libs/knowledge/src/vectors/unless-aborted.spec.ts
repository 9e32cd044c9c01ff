import { expect, it } from '@jest/globals';
import { unlessAborted } from './unless-aborted.js';

it('gives the outcome of work, or the reason of the signal when that is first', async () => {
  const stop = new AbortController();
  expect(await unlessAborted(Promise.resolve(1), undefined)).toBe(1);
  expect(await unlessAborted(Promise.resolve(1), stop.signal)).toBe(1);
  await expect(unlessAborted(Promise.reject(new Error('failed')), stop.signal)).rejects.toThrow('failed');
  let fail: (error: Error) => void = () => undefined;
  const waiting = unlessAborted(
    new Promise((_, reject) => {
      fail = reject;
    }),
    stop.signal,
  );
  stop.abort(new Error('too late'));
  await expect(waiting).rejects.toThrow('too late');
  // Nobody waits for it any more, and nobody is told.
  fail(new Error('later still'));
});
