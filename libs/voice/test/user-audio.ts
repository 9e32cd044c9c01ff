import { FormantVoice } from '@app/sandbox/formant';
import { encode, type MediaPort } from '@app/telephony';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { readWav } from '../src/speech/program-voice.js';
import { level, resample } from '../src/speech/voice.js';

/** Audio of a user's telephone, joined from parts: 16-bit samples at 8 kHz. */
export type Sound = Int16Array;

// Access to a global takes a microsecond under Jest, and a second has 8,000 samples.
const { exp, max, min, PI, round, sin, SQRT2, imul } = Math;

const RATE = 8;
const FRAME_BYTES = 160;

/** Sentences with pauses in milliseconds between them: `['Hello?', 600, 'Hello?']`. */
export type Speech = readonly (string | number)[];

export type Say = (text: string) => Promise<Sound>;

/** Voices and words per minute of espeak-ng, as different as possible. */
const ESPEAK = [
  ['en-us', 160],
  ['en-us+f3', 190],
  ['en-gb+m7', 135],
  ['en-gb+f5', 165],
  ['de', 160],
] as const;

/** The voices of this machine, by name: always the bundled one, espeak-ng's when it is installed. */
export const voices = (): Promise<Map<string, Say>> => (found ??= findVoices());
let found: Promise<Map<string, Say>> | undefined;

async function findVoices(): Promise<Map<string, Say>> {
  const formant = new FormantVoice();
  const all = new Map<string, Say>([['formant', once(async (text) => formant.speak(text))]]);
  for (const [voice, speed] of ESPEAK) {
    const say = once((text) => espeak(voice, speed, text));
    const works = await say('Yes.').then(
      () => true,
      () => false,
    );
    if (works) all.set(`espeak-ng ${voice} ${speed}`, say);
  }
  return all;
}

/** Caches synthesised sentences. */
function once(say: Say): Say {
  const clips = new Map<string, Promise<Sound>>();
  return async (text) => {
    const clip = clips.get(text) ?? say(text).then(trim);
    clips.set(text, clip);
    return clip;
  };
}

async function espeak(voice: string, speed: number, text: string): Promise<Sound> {
  const args = ['-b', '1', '-v', voice, '-s', String(speed), '--stdout', text];
  const { stdout } = await promisify(execFile)('espeak-ng', args, { encoding: 'buffer', maxBuffer: 10_000_000 });
  const { samples, rate } = readWav(stdout);
  return resample(samples, rate);
}

export async function spoken(say: Say, speech: Speech): Promise<Sound> {
  const parts = await Promise.all(speech.map(async (part) => (typeof part === 'number' ? silence(part) : say(part))));
  return join(...parts);
}

export const silence = (ms: number): Sound => new Int16Array(ms * RATE);

/** Sine waves of these frequencies together, with edges of 5 ms; `db` is the level of the whole below full scale (peak). */
export function tone(frequencies: readonly number[], ms: number, db = -12): Sound {
  const peak = (32_767 * 10 ** (db / 20)) / frequencies.length;
  return Int16Array.from({ length: ms * RATE }, (_, i) => {
    const edge = min(1, (i + 1) / 40, (ms * RATE - i) / 40);
    const sum = frequencies.reduce((total, hz) => total + sin((2 * PI * hz * i) / 8000), 0);
    return round(sum * edge * peak);
  });
}

/** Chords of notes with overtones that decay, twice a second, as hold music has them. */
export function music(ms: number, db = -12): Sound {
  const chords = [
    [262, 330, 392],
    [294, 349, 440],
    [196, 247, 294, 392],
    [262, 349, 440],
  ];
  const parts = Array.from({ length: Math.ceil(ms / 500) }, (_, bar) => {
    const notes = chords[bar % chords.length] as number[];
    const sounding = tone([...notes, ...notes.map((hz) => hz * 2), ...notes.map((hz) => hz * 3)], 500, db + 8);
    return sounding.map((sample, i) => sample * exp(-i / 3000));
  });
  return join(...parts).subarray(0, ms * RATE);
}

export function join(...parts: Sound[]): Sound {
  const whole = new Int16Array(parts.reduce((length, part) => length + part.length, 0));
  parts.reduce((at, part) => (whole.set(part, at), at + part.length), 0);
  return whole;
}

export const louder = (sound: Sound, db: number): Sound => sound.map((sample) => clamp(sample * 10 ** (db / 20)));

/** Adds the noise of a line: white noise at `db` (RMS, below full scale) and hum of 50 Hz at the same level. */
export function noisy(sound: Sound, db: number): Sound {
  const random = randomOf(1);
  const rms = 32_768 * 10 ** (db / 20);
  return sound.map((sample, i) => {
    const noise = (random() + random() + random() - 1.5) * 2 * rms;
    return clamp(sample + noise + SQRT2 * rms * sin((2 * PI * 50 * i) / 8000));
  });
}

/** Frames of 20 ms; the last one is padded with silence. */
export function framesOf(codec: MediaPort['codec'], sound: Sound): Buffer[] {
  const whole = new Int16Array(Math.ceil(sound.length / FRAME_BYTES) * FRAME_BYTES);
  whole.set(sound);
  const bytes = encode(codec, whole);
  return Array.from({ length: bytes.length / FRAME_BYTES }, (_, i) =>
    bytes.subarray(i * FRAME_BYTES, (i + 1) * FRAME_BYTES),
  );
}

/** The same numbers at every run (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

function trim(sound: Sound): Sound {
  const even = level(sound);
  const isLoud = (sample: number) => Math.abs(sample) > 300;
  return even.slice(even.findIndex(isLoud), even.findLastIndex(isLoud) + 1);
}

const clamp = (sample: number): number => max(-32_768, min(32_767, round(sample)));
