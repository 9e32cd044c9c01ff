import { describe, expect, it } from '@jest/globals';
import { SeededRandom } from '../../../../../test/support/seeded-random.js';
import { decode, encode } from '../codecs/g711.js';
import type { G711 } from '../session/media-port.js';
import { ToneDetector } from './tone-detector.js';
import { COLUMNS, dtmfTones, join, KEYPAD, ROWS, silence, tone } from './tones.js';

const LAWS: G711[] = ['PCMU', 'PCMA'];

/** A key as a line may transmit it: levels in dBFS per tone, both frequencies off by a share. */
interface Press {
  key: string;
  ms?: number;
  rowDb?: number;
  columnDb?: number;
  detune?: number;
}

function pressed({ key, ms = 40, rowDb = -16, columnDb = -16, detune = 0 }: Press): Int16Array {
  const at = KEYPAD.indexOf(key);
  const level = (db: number): number => 32_768 * 10 ** (db / 20);
  const row = tone([ROWS[at >> 2]! * (1 + detune)], ms, level(rowDb));
  const column = tone([COLUMNS[at & 3]! * (1 + detune)], ms, level(columnDb));
  return row.map((sample, i) => sample + column[i]!);
}

function noisy(pcm: Int16Array, db: number, random: SeededRandom): Int16Array {
  const level = 32_768 * 10 ** (db / 20) * Math.sqrt(3);
  return pcm.map((sample) => sample + Math.round((2 * random.next() - 1) * level));
}

/** The detected keys for audio that begins anywhere in a frame; `said`: the remaining audible frames. */
function found(law: G711, pcm: Int16Array, offset = 0): { keys: string[]; durations: number[]; said: Int16Array } {
  const keys: string[] = [];
  const durations: number[] = [];
  const detector = new ToneDetector(law, (digit, ms) => {
    keys.push(digit);
    durations.push(ms);
  });
  const whole = join([silence(offset / 8), pcm, silence(100)]);
  const said: Int16Array[] = [];
  for (let at = 0; at + 160 <= whole.length; at += 160) {
    const frame = encode(law, whole.subarray(at, at + 160));
    if (!detector.hear(frame)) said.push(decode(law, frame));
  }
  return { keys, durations, said: join(said) };
}

const OFFSETS = [0, 24, 56, 80, 104, 136];

describe.each(LAWS)('audible keys in %s', (law) => {
  it.each(Array.from(KEYPAD))('%s is detected from 40 ms on, wherever it begins', (key) => {
    // The rise and fall of 5 ms each are too quiet to count.
    for (const offset of OFFSETS) expect(found(law, pressed({ key, ms: 46 }), offset).keys).toEqual([key]);
    for (const detune of [-0.015, 0.015]) expect(found(law, pressed({ key, ms: 60, detune })).keys).toEqual([key]);
  });

  it.each(Array.from(KEYPAD))('%s is detected in noise 15 dB below it', (key) => {
    const random = new SeededRandom(`noise ${key}`);
    for (const offset of OFFSETS)
      expect(found(law, noisy(pressed({ key, ms: 60 }), -31, random), offset).keys).toEqual([key]);
  });

  it.each<[string, Press, boolean]>([
    ['with a column 6 dB louder', { key: '5', ms: 60, rowDb: -20, columnDb: -14 }, true],
    ['with a row 4 dB louder', { key: '5', ms: 60, rowDb: -14, columnDb: -18 }, true],
    ['with a column 12 dB louder', { key: '5', ms: 60, rowDb: -26, columnDb: -14 }, false],
    ['with a row 10 dB louder', { key: '5', ms: 60, rowDb: -14, columnDb: -24 }, false],
    ['at -28 dBFS', { key: '5', ms: 60, rowDb: -28, columnDb: -28 }, true],
    ['at -50 dBFS', { key: '5', ms: 60, rowDb: -50, columnDb: -50 }, false],
    ['of 18 ms', { key: '5', ms: 18 }, false],
    ['off by 8 %', { key: '5', ms: 60, detune: 0.08 }, false],
  ])('a tone %s', (_name, press, expected) => {
    expect(found(law, pressed(press)).keys).toEqual(expected ? [press.key] : []);
  });

  it('a single tone, ringback and busy tone are not keys', () => {
    for (const frequencies of [[697], [1_336], [440, 480], [480, 620], [1_000], [350, 440]])
      expect(found(law, tone(frequencies, 500)).keys).toEqual([]);
  });

  it('a dialled number with pauses of 45 ms is detected key by key, with the duration of each', () => {
    const { keys, durations } = found(law, dtmfTones('0123456789*#ABCD0011', 80, 45), 40);
    expect(keys.join('')).toBe('0123456789*#ABCD0011');
    for (const ms of durations) expect(Math.abs(ms - 80)).toBeLessThanOrEqual(26);
  });

  it('a key lasts as long as its tone, also over a break of 10 ms', () => {
    for (const offset of OFFSETS) {
      const broken = pressed({ key: '7', ms: 200 }).fill(0, 800, 880);
      expect(found(law, broken, offset).keys).toEqual(['7']);
    }
  });

  it('the rest of a key before its detection is shorter than speech for voice activity detection', () => {
    for (const offset of OFFSETS) {
      const { said } = found(law, dtmfTones('5', 200, 0), offset);
      expect(said.filter((sample) => Math.abs(sample) > 500).length).toBeLessThan(40 * 8);
    }
  });

  it('no key is detected in a minute of speech', () => {
    const random = new SeededRandom('talk-off');
    const keys = Array.from({ length: 12 }, () => found(law, voice(5, random)).keys.length);
    expect(keys.reduce((sum, one) => sum + one, 0)).toBe(0);
  });
});

/** Vowel-like sound: harmonics of a moving pitch under two formants, a new pair every 200 ms, in syllables, with breath. */
function voice(seconds: number, random: SeededRandom): Int16Array {
  const pcm = new Int16Array(seconds * 8_000);
  let phase = 0;
  let pitch = 0;
  let levels: number[] = [];
  for (let i = 0; i < pcm.length; i++) {
    if (i % 1_600 === 0) {
      const [first, second] = [random.int(280, 900), random.int(900, 2_300)];
      pitch = random.int(85, 280);
      levels = Array.from({ length: Math.floor(3_400 / pitch) }, (_, n) => {
        const frequency = (n + 1) * pitch;
        return resonance(frequency, first, 90) + 0.7 * resonance(frequency, second, 120);
      });
    }
    phase += (2 * Math.PI * pitch * (1 + 0.03 * Math.sin(i / 900))) / 8_000;
    let sample = 0;
    for (let n = 0; n < levels.length; n++) sample += levels[n]! * Math.sin((n + 1) * phase);
    const syllable = Math.sin((Math.PI * (i % 1_600)) / 1_600);
    pcm[i] = Math.max(-32_000, Math.min(32_000, Math.round(syllable * (4_000 * sample + 150 * (random.next() - 0.5)))));
  }
  return pcm;
}

const resonance = (frequency: number, formant: number, width: number): number =>
  1 / Math.sqrt(1 + ((frequency - formant) / width) ** 2);
