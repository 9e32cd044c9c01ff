import { beforeEach, describe, expect, it } from '@jest/globals';
import { PageArrivals, SETTLE_MS } from './page-arrivals.js';

let arrivals: PageArrivals;
/** Number of the frame and its distance from the one before. */
let delivered: [frame: number, steps: number][];
let sent: number;
let late: number;

const send = (nowMs: number): boolean => arrivals.receive(Buffer.from([sent >> 8, sent++ & 0xff]), nowMs);

/** Frames of a page whose clock runs at `rate`, from `fromMs` for `ms`. */
function talk(fromMs: number, ms: number, rate = 1): void {
  for (let at = fromMs; at < fromMs + ms; at += 20 / rate) send(at);
}

beforeEach(() => {
  delivered = [];
  sent = 0;
  late = 0;
  arrivals = new PageArrivals(
    (frame, steps) => delivered.push([frame.readUInt16BE(0), steps]),
    () => (late += 1),
  );
});

describe('frames of a page', () => {
  it('pass at once, in order', () => {
    talk(0, 200);
    expect(delivered).toEqual(Array.from({ length: 10 }, (_, i) => [i, 1]));
  });

  it('pass at once when the network delays some by up to 100 ms', () => {
    for (const at of [0, 20, 40, 139, 139, 140, 140, 160]) send(at);
    expect(delivered).toEqual(Array.from({ length: 8 }, (_, i) => [i, 1]));
    expect(late).toBe(0);
  });

  it('lose all but the last 200 ms of a burst after a stall, which take the place of the last 200 ms', () => {
    talk(0, 100);
    for (let i = 0; i < 100; i++) send(2_080);
    expect(delivered).toHaveLength(5);
    arrivals.settle(2_080 + SETTLE_MS);
    expect(delivered.slice(5)).toEqual([[95, 91], ...Array.from({ length: 9 }, (_, i) => [96 + i, 1])]);
    expect(late).toBe(90);
    // On the same clock as before: 2,080 ms are 104 frames.
    expect(delivered.reduce((sum, [, steps]) => sum + steps, -1)).toBe(104);
  });

  it('pass at once again after a burst, also without a timer', () => {
    talk(0, 100);
    for (let i = 0; i < 20; i++) send(500 + i);
    send(540);
    expect(delivered.at(-1)).toEqual([25, 1]);
    send(560);
    expect(delivered.at(-1)).toEqual([26, 1]);
  });

  it('keep the time of a page that was muted', () => {
    talk(0, 100);
    send(10_080);
    arrivals.settle(10_080 + SETTLE_MS);
    expect(delivered.at(-1)).toEqual([5, 500]);
  });

  it.each([
    ['200 ppm fast', 1.0002],
    ['200 ppm slow', 0.9998],
  ])('of a page whose clock is %s all pass, directly after each other, for 10 minutes', (_title, rate) => {
    talk(0, 600_000, rate);
    expect(delivered).toHaveLength(sent);
    expect(delivered.every(([, steps]) => steps === 1)).toBe(true);
    expect(late).toBe(0);
  });

  it.each([
    ['twice as fast as real time', 2, true],
    ['three times as fast as real time', 3, false],
  ])('%s: accepted %s', (_title, rate, accepted) => {
    const results = [];
    for (let at = 0; at < 20_000; at += 20 / rate) results.push(send(at));
    expect(results.every(Boolean)).toBe(accepted);
  });

  it('that all come at once are refused after five seconds of audio', () => {
    const results = Array.from({ length: 260 }, () => send(1_000));
    expect(results.indexOf(false)).toBe(251);
  });
});
