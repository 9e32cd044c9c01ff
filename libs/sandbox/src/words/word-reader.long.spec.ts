import { describe, expect, it } from '@jest/globals';
import { decode, encode } from '@app/telephony';
import { Synthesiser } from '@app/voice';
import { SeededRandom } from '../../../../test/support/seeded-random.js';
import { FormantVoice } from '../formant/formant-voice.js';
import { Hearing } from '../vendors/speech/hearing.js';
import { WordReader } from './word-reader.js';
import { withWords } from './word-signal.js';

const FRAME = 160;
const voice = new Synthesiser([new FormantVoice()]);
const spoken = async (text: string): Promise<Int16Array> => withWords(await voice.clip(text, 'en'), text);

function read(sound: Int16Array, frame = FRAME): string[] {
  const reader = new WordReader();
  const texts: string[] = [];
  const padded = new Int16Array(sound.length + 8_000);
  padded.set(sound);
  for (let at = 0; at < padded.length; at += frame) {
    const text = reader.push(padded.subarray(at, at + frame));
    if (text !== undefined) texts.push(text);
  }
  return texts;
}

const TEXTS = [
  'Yes.',
  'Hello, where is my order?',
  'My number is 4711, and I was born on the third of May 1984.',
  'Größe 42, für zwölf Euro – bitte!',
  'はい、お願いします。',
  'I would like to change the delivery address of my last order, because I have moved to another city, and I need it there by Friday evening.',
];

describe('words beside speech', () => {
  it.each(TEXTS)('are read: %s', async (text) => {
    expect(read(await spoken(text))).toEqual([text]);
  });

  it('are read at any offset, after G.711 and at a fifth of the volume', async () => {
    const sound = await spoken(TEXTS[1]!);
    for (const offset of [0, 7, 33, 81, 159]) {
      const moved = new Int16Array(sound.length + offset);
      moved.set(
        sound.map((sample) => sample / 5),
        offset,
      );
      expect(read(decode('PCMU', encode('PCMU', moved)))).toEqual([TEXTS[1]]);
    }
  });

  it('are read with a lost packet in ten, and with white noise 8 dB below the speech', async () => {
    const random = new SeededRandom('lossy');
    let [lost, noisy] = [0, 0];
    for (let round = 0; round < 20; round++) {
      const sound = await spoken(TEXTS[1 + (round % 2)]!);
      const gaps = sound.slice();
      for (let at = 0; at < gaps.length; at += FRAME) if (random.chance(0.1)) gaps.fill(0, at, at + FRAME);
      lost += read(gaps).length;
      const level = rms(sound) * 10 ** (-8 / 20) * Math.sqrt(12);
      noisy += read(sound.map((sample) => sample + level * (random.next() - 0.5))).length;
    }
    expect(lost).toBeGreaterThanOrEqual(15);
    expect(noisy).toBeGreaterThanOrEqual(18);
  });

  it('are read when stalls insert silent frames into the speech', async () => {
    const sound = await spoken(TEXTS[2]!);
    const pieces: Int16Array[] = [];
    // 100, 60, 200 and 40 ms, after 0.2, 0.8, 1.5 and 2.2 s.
    for (const [from, to, inserted] of [
      [0, 10, 5],
      [10, 40, 3],
      [40, 75, 10],
      [75, 110, 2],
      [110, Infinity, 0],
    ] as const)
      pieces.push(sound.subarray(from * FRAME, Math.min(sound.length, to * FRAME)), new Int16Array(inserted * FRAME));
    const stalled = new Int16Array(pieces.reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    for (const piece of pieces) {
      stalled.set(piece, at);
      at += piece.length;
    }
    expect(read(stalled)).toEqual([TEXTS[2]]);
  });

  it('are read when a stall loses a second of the speech', async () => {
    const sound = await spoken(TEXTS[2]!);
    for (const lostFrom of [40, 80, 120]) {
      const stalled = sound.slice();
      stalled.fill(0, lostFrom * FRAME, (lostFrom + 50) * FRAME);
      expect(read(stalled)).toEqual([TEXTS[2]]);
    }
  });

  it('are not found in speech without them, in noise, or when most of it is lost', async () => {
    const random = new SeededRandom('nothing');
    expect(read(await voice.clip(TEXTS[5]!, 'en'))).toEqual([]);
    expect(read(Int16Array.from({ length: 80_000 }, () => 8_000 * (random.next() - 0.5)))).toEqual([]);
    const sound = await spoken(TEXTS[1]!);
    expect(read(sound.map((sample, at) => (Math.floor(at / FRAME) % 2 === 0 ? sample : 0)))).toEqual([]);
  });

  it('of two sentences are read one after the other', async () => {
    const [one, other] = [await spoken('No.'), await spoken('I want to speak to a person.')];
    const both = new Int16Array(one.length + other.length);
    both.set(one);
    both.set(other, one.length);
    expect(read(both)).toEqual(['No.', 'I want to speak to a person.']);
  });
});

describe('an emulated transcriber', () => {
  const silence = Buffer.alloc(FRAME, 0xff);
  const ended = (audio: Buffer): string[] => {
    const hearing = new Hearing({ codec: 'PCMU', rate: 8_000 }, ['Scripted words.'], 500);
    const texts: string[] = [];
    hearing.push(Buffer.concat([silence, audio, ...Array.from({ length: 50 }, () => silence)]), (event) => {
      if (event?.type === 'ended') texts.push(event.words.map(({ text }) => text).join(' '));
    });
    return texts;
  };

  it('recognises what a tester caller says, before the words of its script', async () => {
    expect(ended(encode('PCMU', await spoken('Where is my order?')))).toEqual(['Where is my order?']);
    expect(ended(encode('PCMU', await voice.clip('Where is my order?', 'en')))).toEqual(['Scripted words.']);
  });

  it('hears one utterance when the line of a tester caller stalls for longer than a pause', async () => {
    const said = encode('PCMU', await spoken('Where is my order?'));
    const stall = Buffer.alloc(38 * FRAME, 0xff);
    const stalled = Buffer.concat([said.subarray(0, 50 * FRAME), stall, said.subarray(50 * FRAME)]);
    expect(ended(stalled)).toEqual(['Where is my order?']);
  });
});

function rms(sound: Int16Array): number {
  const loud = sound.filter((sample) => Math.abs(sample) > 200);
  return Math.sqrt(loud.reduce((sum, sample) => sum + sample * sample, 0) / loud.length);
}
