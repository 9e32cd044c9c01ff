import { describe, expect, it } from '@jest/globals';
import { ConferenceMixer } from './conference-mixer.js';

const level = (value: number, length = 160): Int16Array => new Int16Array(length).fill(value);

describe('a conference of three', () => {
  it('lets each party hear the two others and not itself', () => {
    const guest: number[] = [];
    const mixer = new ConferenceMixer((samples) => guest.push(samples[0]!));
    mixer.guestSpoke(level(1));
    expect(mixer.userSpoke(level(10))[0]).toBe(11);
    const agent = level(100);
    mixer.mix(agent);
    expect([agent[0], guest]).toEqual([101, [110]]);
  });

  it('adds the guest to a wideband line at twice its rate', () => {
    const mixer = new ConferenceMixer(() => undefined);
    mixer.guestSpoke(Int16Array.from({ length: 160 }, (_, i) => 2 * i));
    const agent = level(1_000, 320);
    mixer.mix(agent);
    expect(Array.from(agent.subarray(0, 4))).toEqual([1_000, 1_001, 1_002, 1_003]);
  });

  it('limits the sum of loud parties, and builds up no delay when a clock is faster', () => {
    const mixer = new ConferenceMixer(() => undefined);
    for (let i = 0; i < 100; i++) mixer.guestSpoke(level(30_000 + i));
    const agent = level(30_000);
    mixer.mix(agent);
    expect(agent[0]).toBe(32_767);
    const quiet = level(0);
    mixer.mix(quiet);
    expect(quiet[0]).toBeGreaterThan(30_090);
  });
});
