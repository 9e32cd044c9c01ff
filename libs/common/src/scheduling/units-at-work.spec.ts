import { describe, expect, it } from '@jest/globals';
import { createDeferred } from './deferred.js';
import { UnitsAtWork } from './units-at-work.js';

describe('the units at work', () => {
  it('are awaited by stop, which aborts them', async () => {
    const units = new UnitsAtWork();
    const ended: string[] = [];
    const unit = units.do(async () => {
      await new Promise((resolve) => units.signal.addEventListener('abort', resolve));
      ended.push('unit');
      return true;
    });
    await units.stop().then(() => ended.push('stop'));
    expect(ended).toEqual(['unit', 'stop']);
    expect(await unit).toBe(true);
  });

  it('are not begun once the process stops', async () => {
    const units = new UnitsAtWork();
    await units.stop();
    const begun: string[] = [];
    expect(await units.do(async () => begun.push('unit') > 0)).toBe(false);
    expect(begun).toEqual([]);
  });

  it('do not keep stop from resolving when one fails', async () => {
    const units = new UnitsAtWork();
    const failing = createDeferred<boolean>();
    const unit = units.do(() => failing.promise);
    const stopped = units.stop();
    failing.reject(new Error('no database'));
    await expect(unit).rejects.toThrow('no database');
    await stopped;
  });
});
