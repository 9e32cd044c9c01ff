import { describe, expect, it } from '@jest/globals';
import { InvalidDigits } from './dtmf.js';
import { beep, busyTone, dtmfTones, ringback, tone } from './tones.js';

/** Energy at one frequency, relative to the whole signal: 1 for a pure tone (Goertzel). */
function share(pcm: Int16Array, frequency: number): number {
  const coefficient = 2 * Math.cos((2 * Math.PI * frequency) / 8_000);
  let [s1, s2, energy] = [0, 0, 0];
  for (const sample of pcm) {
    [s1, s2] = [sample + coefficient * s1 - s2, s1];
    energy += sample * sample;
  }
  return (s1 * s1 + s2 * s2 - coefficient * s1 * s2) / ((energy * pcm.length) / 2);
}

describe('tones', () => {
  it.each([
    ['1', 697, 1209],
    ['5', 770, 1336],
    ['9', 852, 1477],
    ['0', 941, 1336],
    ['*', 941, 1209],
    ['#', 941, 1477],
    ['d', 941, 1633],
  ])('key %s is %d and %d Hz', (digit, row, column) => {
    const key = dtmfTones(digit, 100, 0);
    expect(share(key, row)).toBeGreaterThan(0.4);
    expect(share(key, column)).toBeGreaterThan(0.4);
  });

  it('rejects characters that are not DTMF keys', () => expect(() => dtmfTones('12x')).toThrow(InvalidDigits));

  it.each([
    ['ringback', ringback(), 6_000],
    ['busy', busyTone(), 1_000],
    ['beep', beep(400), 400],
    ['two keys', dtmfTones('12', 100, 100), 400],
  ])('%s lasts %d ms', (_name, pcm, ms) => expect(pcm.length).toBe(ms * 8));

  it('starts and ends without a click', () => {
    const pcm = tone([1_000], 100);
    expect(Math.abs(pcm[0] ?? 1)).toBeLessThan(200);
    expect(Math.abs(pcm.at(-1) ?? 1)).toBeLessThan(200);
  });
});
