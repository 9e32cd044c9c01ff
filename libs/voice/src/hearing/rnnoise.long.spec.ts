import { describe, expect, it } from '@jest/globals';
import { FormantVoice } from '@app/sandbox/formant';
import { SeededRandom } from '../../../../test/support/seeded-random.js';
import { interpolator } from '../speech/polyphase.js';
import { loadRnnoise } from './rnnoise.js';

const model = await loadRnnoise();

function noise(samples: number, peak: number): Int16Array {
  const random = new SeededRandom('white');
  return Int16Array.from({ length: samples }, () => (2 * random.next() - 1) * peak);
}

const levelDb = (samples: Int16Array): number =>
  10 * Math.log10(samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length + 1e-3);

/** Cleans in frames of 20 ms; returns the part after the model has settled. */
function clean(samples: Int16Array, rate: number): Int16Array {
  const stream = model.open(rate);
  const frame = rate / 50;
  const parts: Int16Array[] = [];
  for (let at = 0; at + frame <= samples.length; at += frame) {
    const part = stream.clean(samples.subarray(at, at + frame));
    expect(part).toHaveLength(frame);
    parts.push(part);
  }
  stream.close();
  return Int16Array.from(parts.flatMap((part) => [...part])).subarray(rate);
}

describe.each([8_000, 16_000])('noise suppression at %d Hz', (rate) => {
  it('removes steady noise', () => {
    const heard = noise(4 * rate, 2_000);
    expect(levelDb(heard) - levelDb(clean(heard, rate))).toBeGreaterThan(10);
  });

  it('leaves speech at about its level', async () => {
    const spoken = await new FormantVoice().speak('I would like to order two pots of green tea for my office.');
    const heard = rate === 8_000 ? spoken : interpolator(2).push(spoken);
    expect(Math.abs(levelDb(heard.subarray(rate)) - levelDb(clean(heard, rate)))).toBeLessThan(4);
  });

  it('keeps silence silent, and calls apart', () => {
    const [one, other] = [model.open(rate), model.open(rate)];
    const loud = noise(rate / 50, 20_000);
    for (let i = 0; i < 50; i++) {
      one.clean(loud);
      expect(other.clean(new Int16Array(rate / 50)).every((sample) => sample === 0)).toBe(true);
    }
    one.close();
    other.close();
  });
});
