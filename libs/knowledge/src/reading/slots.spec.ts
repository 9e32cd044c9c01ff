import { describe, expect, it } from '@jest/globals';
import { Slots } from './slots.js';

describe('slots', () => {
  it('go from hand to hand in the order of asking', async () => {
    const slots = new Slots(1);
    const order: string[] = [];
    const release = await slots.take();
    const others = ['b', 'c'].map(async (name) => {
      const give = await slots.take();
      order.push(name);
      give();
    });
    order.push('a');
    release();
    release();
    await Promise.all(others);
    expect(order).toEqual(['a', 'b', 'c']);
  });

  it('are not waited for when the signal is aborted', async () => {
    const slots = new Slots(1);
    const release = await slots.take();
    const controller = new AbortController();
    const waiting = slots.take(controller.signal);
    const next = slots.take();
    controller.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    await expect(slots.take(controller.signal)).rejects.toThrow('enough');
    release();
    (await next)();
    (await slots.take())();
  });
});
