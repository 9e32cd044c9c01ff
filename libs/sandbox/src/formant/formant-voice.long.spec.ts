import { describe, expect, it } from '@jest/globals';
import { isAudible, SAMPLE_RATE } from '@app/voice';
import { FormantVoice } from './formant-voice.js';
import { pronounce } from './prosody.js';
import { readingOf } from './reading.js';

const voice = new FormantVoice();
const FRAME = SAMPLE_RATE / 50;

const rms = (samples: Int16Array): number =>
  Math.sqrt(samples.reduce((sum, sample) => sum + sample * sample, 0) / Math.max(1, samples.length));

const envelope = (samples: Int16Array): number[] =>
  Array.from({ length: Math.floor(samples.length / FRAME) }, (_, i) =>
    rms(samples.subarray(i * FRAME, (i + 1) * FRAME)),
  );

/** Energy between two frequencies, by a plain discrete Fourier transform of the middle of the sound. */
function energy(samples: Int16Array, from: number, to: number): number {
  const middle = samples.subarray(samples.length / 2 - 400, samples.length / 2 + 400);
  let sum = 0;
  for (let hertz = from; hertz <= to; hertz += 10) {
    let re = 0;
    let im = 0;
    middle.forEach((sample, i) => {
      re += sample * Math.cos((2 * Math.PI * hertz * i) / SAMPLE_RATE);
      im += sample * Math.sin((2 * Math.PI * hertz * i) / SAMPLE_RATE);
    });
    sum += re * re + im * im;
  }
  return sum;
}

describe('the formant voice', () => {
  it('speaks a word in 200 to 600 ms', async () => {
    const samples = await voice.speak('Thank you for calling the tea house this morning');
    const msPerWord = (samples.length / SAMPLE_RATE / 9) * 1000;
    expect(msPerWord).toBeGreaterThan(200);
    expect(msPerWord).toBeLessThan(600);
  });

  it('modulates its level with the syllables', async () => {
    const levels = envelope(await voice.speak('Please press a key, then wait.'));
    const loud = Math.max(...levels);
    const peaks = levels.filter(
      (level, i) => level > loud / 4 && level >= (levels[i - 1] ?? 0) && level > (levels[i + 1] ?? 0),
    );
    expect(peaks.length).toBeGreaterThanOrEqual(5);
    expect(levels.filter((level) => level < loud / 20).length).toBeGreaterThan(3);
  });

  it('gives each vowel its own formants', async () => {
    const [ee, ah, oo] = [await voice.speak('ee'), await voice.speak('ah'), await voice.speak('oo')];
    const high = (samples: Int16Array) => energy(samples, 1900, 2600) / energy(samples, 600, 1400);
    const low = (samples: Int16Array) => energy(samples, 200, 450) / energy(samples, 600, 1400);
    expect(high(ee)).toBeGreaterThan(10 * high(ah));
    expect(high(ee)).toBeGreaterThan(10 * high(oo));
    expect(low(oo)).toBeGreaterThan(3 * low(ah));
  });

  it.each([
    'Guten Tag, hier spricht die Bäckerei Größe.',
    '你好，我是你的语音助手。',
    'Здравствуйте, это чайный дом.',
    'こんにちは、元気ですか。',
    'مرحبا',
    'नमस्ते',
    '🙂',
    '…',
    '42',
    'BXQ',
    '’',
  ])('produces audible speech for %s', async (text) => {
    const samples = await voice.speak(text);
    expect(isAudible(samples)).toBe(true);
    const words = readingOf(text).filter((token) => token.kind === 'word').length;
    expect(samples.length / SAMPLE_RATE).toBeGreaterThan(0.1 * words);
  });

  it('yields to the event loop while it computes', async () => {
    let turns = 0;
    let done = false;
    const count = () => {
      turns++;
      if (!done) setImmediate(count);
    };
    setImmediate(count);
    const samples = await voice.speak('one two three four five six seven eight nine ten '.repeat(4));
    done = true;
    expect(turns).toBeGreaterThanOrEqual(Math.floor(samples.length / SAMPLE_RATE));
  });
});

describe('the formant voice', () => {
  it.each([
    ['hello', 'HH AX L OW'],
    ['station', 'S T EY SH AX N'],
    ['night', 'N AY T'],
    ['making', 'M EY K IH NG'],
    ['table', 'T EY B AX L'],
    ['city', 'S IH T IY'],
    ['phone', 'F OW N'],
    ['knife', 'N AY F'],
    ['write', 'R AY T'],
    ['tea', 'T IY'],
    ['street', 'S T R IY T'],
    ['constructor', 'K AA N S T R AH K T ER'],
  ])('pronounces "%s" as %s', (word, phonemes) => expect(pronounce(word).join(' ')).toBe(phonemes));
});

describe('the formant voice', () => {
  const words = (text: string) => readingOf(text).flatMap((token) => (token.kind === 'word' ? [token.letters] : []));
  it.each([
    ['Dr. Smith', 'doctor smith'],
    ['at 10:30', 'at ten thirty'],
    ['$1,250', 'one thousand two hundred fifty dollars'],
    ['3.5 %', 'three point five percent'],
    ['5551234567', 'five five five one two three four five six seven'],
    ['room 007', 'room zero zero seven'],
    ['PBX', 'pee bee ex'],
    ['ACME & Co', 'acme and co'],
    ['Größe', 'grersse'],
    ['', 'hum'],
  ])('reads "%s" as "%s"', (text, reading) => expect(words(text).join(' ')).toBe(reading));
});
