import { describe, expect, it } from '@jest/globals';
import { RequestSlots } from './action-sender.service.js';

const never = new AbortController().signal;

describe('slots for the requests of tools', () => {
  it('are given in order, and a host without a free slot leaves slots of the account for other hosts', async () => {
    const slots = new RequestSlots(3, 2);
    const first = await slots.acquire(1, 'slow', never);
    const second = await slots.acquire(1, 'slow', never);
    const order: string[] = [];
    const third = slots.acquire(1, 'slow', never).then((release) => (order.push('third'), release));
    const fourth = slots.acquire(1, 'slow', never).then(() => order.push('fourth'));
    await slots.acquire(1, 'quick', never);
    expect(order).toEqual([]);
    first();
    first();
    (await third)();
    await fourth;
    expect(order).toEqual(['third', 'fourth']);
    second();
  });

  it('of one account do not count for another account', async () => {
    const slots = new RequestSlots(1, 1);
    await slots.acquire(1, 'host', never);
    expect(await slots.acquire(2, 'host', never)).toEqual(expect.any(Function));
  });

  it('limit the requests of an account to all its hosts together', async () => {
    const slots = new RequestSlots(1, 1);
    const release = await slots.acquire(1, 'one host', never);
    const waiting = slots.acquire(1, 'another host', AbortSignal.abort(new Error('too late')));
    await expect(waiting).rejects.toThrow('too late');
    const next = slots.acquire(1, 'another host', never);
    release();
    expect(await next).toEqual(expect.any(Function));
  });

  it('are no longer waited for once the signal aborts', async () => {
    const slots = new RequestSlots(1, 1);
    const release = await slots.acquire(1, 'host', never);
    const controller = new AbortController();
    const late = slots.acquire(1, 'host', controller.signal);
    const next = slots.acquire(1, 'host', never);
    controller.abort(new Error('too late'));
    await expect(late).rejects.toThrow('too late');
    release();
    (await next)();
    await expect(slots.acquire(1, 'host', controller.signal)).rejects.toThrow('too late');
  });
});
