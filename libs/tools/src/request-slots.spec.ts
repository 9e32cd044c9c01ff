import { describe, expect, it } from '@jest/globals';
import { RequestSlots } from './request-slots.js';

const never = new AbortController().signal;

describe('places for requests', () => {
  it('are given in order, and one host that is full leaves room for others', async () => {
    const places = new RequestSlots(3, 2);
    const slow = await places.enter(1, 'slow', never);
    const leaveSlow = await places.enter(1, 'slow', never);
    const order: string[] = [];
    const third = places.enter(1, 'slow', never).then((leave) => (order.push('third'), leave));
    const fourth = places.enter(1, 'slow', never).then(() => order.push('fourth'));
    await places.enter(1, 'quick', never);
    expect(order).toEqual([]);
    slow();
    slow();
    (await third)();
    await fourth;
    expect(order).toEqual(['third', 'fourth']);
    leaveSlow();
  });

  it('of one account are nothing to others', async () => {
    const places = new RequestSlots(1, 1);
    await places.enter(1, 'host', never);
    expect(await places.enter(2, 'host', never)).toEqual(expect.any(Function));
  });

  it('are not waited for any longer than the signal allows', async () => {
    const places = new RequestSlots(1, 1);
    const leave = await places.enter(1, 'host', never);
    const controller = new AbortController();
    const late = places.enter(1, 'host', controller.signal);
    const next = places.enter(1, 'host', never);
    controller.abort(new Error('too late'));
    await expect(late).rejects.toThrow('too late');
    leave();
    (await next)();
    await expect(places.enter(1, 'host', controller.signal)).rejects.toThrow('too late');
  });
});
