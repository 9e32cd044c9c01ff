import { describe, expect, it } from '@jest/globals';
import { getEventListeners, once } from 'node:events';
import { orAborted, startDeadline } from './deadline.js';

const late = () => new Error('late');
const listeners = (signal: AbortSignal) => getEventListeners(signal, 'abort').length;

describe('a deadline', () => {
  it('aborts when its time is over', async () => {
    const { signal } = startDeadline(1, undefined, late);
    await once(signal, 'abort');
    expect(signal.reason).toEqual(late());
  });

  it('aborts with the outer signal, even if that was aborted before', () => {
    const outer = new AbortController();
    const [during, leave] = [startDeadline(60_000, outer.signal, late), new Error('leave')];
    expect(during.signal.aborted).toBe(false);
    outer.abort(leave);
    const after = startDeadline(60_000, outer.signal, late);
    expect([during.signal.reason, after.signal.reason]).toEqual([leave, leave]);
    for (const one of [during, after]) one.clear();
  });

  it('removes its timer and its listener when it is cleared', async () => {
    const outer = new AbortController();
    const cleared = startDeadline(1, outer.signal, late);
    cleared.clear();
    const next = startDeadline(2, undefined, late);
    await once(next.signal, 'abort');
    expect([cleared.signal.aborted, listeners(outer.signal)]).toEqual([false, 0]);
  });
});

describe('work with a signal', () => {
  it('returns its result and leaves no listener', async () => {
    const { signal } = new AbortController();
    expect(await orAborted(Promise.resolve(7), signal)).toBe(7);
    await expect(orAborted(Promise.reject(new Error('broken')), signal)).rejects.toThrow('broken');
    await new Promise(setImmediate);
    expect(listeners(signal)).toBe(0);
  });

  it('is awaited normally without a signal', async () => {
    expect(await orAborted(Promise.resolve(7), undefined)).toBe(7);
  });

  it('may fail after the signal without an unhandled rejection', async () => {
    const stop = new AbortController();
    let fail: (error: Error) => void = () => undefined;
    const waiting = orAborted(new Promise((_, reject) => (fail = reject)), stop.signal);
    stop.abort(new Error('too late'));
    await expect(waiting).rejects.toThrow('too late');
    fail(new Error('later still'));
    await new Promise(setImmediate);
  });

  it('is abandoned with the reason of the signal', async () => {
    const stop = new AbortController();
    const never = new Promise<never>(() => undefined);
    const waiting = orAborted(never, stop.signal);
    stop.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    await expect(orAborted(never, stop.signal)).rejects.toThrow('enough');
  });
});
