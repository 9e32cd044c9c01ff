import { describe, expect, it } from '@jest/globals';
import { HostTurns } from './host-turns.js';

const calm = new AbortController().signal;

describe('turns at a host', () => {
  it('are two at once; the third waits for the first that ends, another host waits for nobody', async () => {
    const turns = new HostTurns(2);
    const order: string[] = [];
    const first = await turns.take('a', calm);
    await turns.take('a', calm);
    const third = turns.take('a', calm).then((end) => {
      order.push('third');
      return end;
    });
    (await turns.take('b', calm))();
    order.push('other host');
    first();
    await third;
    expect(order).toEqual(['other host', 'third']);
  });

  it('of one who stopped waiting go to the next', async () => {
    const turns = new HostTurns(1);
    const end = await turns.take('a', calm);
    const stop = new AbortController();
    const gaveUp = turns.take('a', stop.signal);
    const next = turns.take('a', calm);
    stop.abort(new Error('enough'));
    await expect(gaveUp).rejects.toThrow('enough');
    end();
    (await next)();
    (await turns.take('a', calm))();
  });
});
