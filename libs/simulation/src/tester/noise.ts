import type { NoiseName } from '@app/agents/scenarios';
import { SeededRandom } from './seeded-random.js';

export const RATE = 8_000;
/** Samples of 20 ms. */
export const FRAME = 160;

type Noise = (samples: number, random: SeededRandom, voices: Float64Array[]) => Float64Array;

/** Repeatable sounds of a place, of any level. */
const NOISES: Record<NoiseName, Noise> = {
  white: (samples, random) => fill(samples, () => random.next() - 0.5),
  babble,
  music: (samples, random) => sum(melody(samples, random, 4, 0.25), drums(samples, random)),
  keyboard,
  'hold music': (samples, random) => melody(samples, random, 2, 0.5),
  traffic,
};

/** Noise whose loud parts have this level. `voices`: the speech in a babble. */
export function noiseOf(
  name: NoiseName,
  seconds: number,
  db: number,
  random: SeededRandom,
  voices: Float64Array[],
): Float64Array {
  const sound = highPassed(NOISES[name](Math.round(seconds * RATE), random, voices));
  return atLevel(sound, db);
}

/** The same sound with its loud parts at this level below full scale. */
export function atLevel(sound: Float64Array, db: number): Float64Array {
  const gain = (32_768 * 10 ** (db / 20)) / Math.sqrt(loudPower(sound));
  return sound.map((sample) => sample * gain);
}

export function meanPower(sound: Float64Array): number {
  let power = 0;
  for (const sample of sound) power += sample * sample;
  return power / Math.max(1, sound.length);
}

/** Mean power of the frames within 20 dB of the loudest: pauses do not count. */
function loudPower(sound: Float64Array): number {
  const powers = Array.from({ length: Math.floor(sound.length / FRAME) }, (_, i) =>
    meanPower(sound.subarray(i * FRAME, (i + 1) * FRAME)),
  );
  const loudest = powers.reduce((most, power) => Math.max(most, power), 0);
  const loud = powers.filter((power) => power > loudest / 100);
  return loud.reduce((total, power) => total + power, 0) / Math.max(1, loud.length);
}

/** Seven persons at other tables, without pauses. */
function babble(samples: number, random: SeededRandom, voices: Float64Array[]): Float64Array {
  const out = new Float64Array(samples);
  for (let person = 0; person < 7; person++) {
    const loudness = 0.5 + random.next();
    let at = -random.int(0, RATE);
    while (at < samples) {
      const voice = atLevel(random.pick(voices), -20);
      for (let i = Math.max(0, -at); i < voice.length && at + i < samples; i++) out[at + i]! += voice[i]! * loudness;
      at += voice.length + random.int(0, RATE / 4);
    }
  }
  return out;
}

const SCALE = [0, 2, 4, 5, 7, 9, 11, 12];

/** Plucked chords of several notes, each with five harmonics. */
function melody(samples: number, random: SeededRandom, notes: number, beatSeconds: number): Float64Array {
  const out = new Float64Array(samples);
  for (let at = 0; at < samples; at += Math.round(beatSeconds * RATE)) {
    for (let note = 0; note < notes; note++) {
      const hertz = 220 * 2 ** ((random.pick(SCALE) + 12 * random.int(0, 1)) / 12);
      const seconds = beatSeconds * random.int(1, 4);
      const phase = random.next() * 6;
      for (let i = 0; i < seconds * RATE && at + i < samples; i++) {
        const t = i / RATE;
        const envelope = Math.min(1, t * 100) * Math.exp((-3 * t) / seconds);
        for (let harmonic = 1; harmonic <= 5; harmonic++)
          out[at + i]! += (envelope / harmonic ** 1.5) * Math.sin(2 * Math.PI * hertz * harmonic * t + phase);
      }
    }
  }
  return out;
}

/** A beat twice a second, and a softer one between two. */
function drums(samples: number, random: SeededRandom): Float64Array {
  const out = new Float64Array(samples);
  for (let at = 0, beat = 0; at < samples; at += RATE / 4, beat++) {
    const loudness = beat % 2 === 0 ? 4 : 1.5;
    for (let i = 0; i < RATE / 8 && at + i < samples; i++)
      out[at + i] = loudness * (random.next() - 0.5) * Math.exp(-i / (RATE * 0.02));
  }
  return out;
}

/** Bursts of keystrokes: a click for the press and a softer one for the release. */
function keyboard(samples: number, random: SeededRandom): Float64Array {
  const out = new Float64Array(samples);
  const click = (at: number, loudness: number): void => {
    const hertz = 900 + random.next() * 2_000;
    for (let i = 0; i < RATE * 0.03 && at + i < samples; i++) {
      const ring = Math.sin((2 * Math.PI * hertz * i) / RATE) + random.next() - 0.5;
      out[at + i]! += loudness * ring * Math.exp(-i / (RATE * 0.005));
    }
  };
  for (let at = 0; at < samples; at += random.chance(0.1) ? random.int(4_000, 12_000) : random.int(600, 1_800)) {
    click(at, 0.5 + random.next());
    click(at + random.int(400, 800), 0.4 * random.next());
  }
  return out;
}

/** A street: a rumble, cars that pass, and a horn now and then. */
function traffic(samples: number, random: SeededRandom): Float64Array {
  let low = 0;
  const out = fill(samples, () => (low += 0.15 * (random.next() - 0.5 - low)) + 0.05 * (random.next() - 0.5));
  for (let at = 0; at < samples; at += random.int(2 * RATE, 6 * RATE)) {
    const length = random.int(2 * RATE, 5 * RATE);
    const loudness = 1 + 3 * random.next();
    const hertz = 70 + 60 * random.next();
    for (let i = 0; i < length && at + i < samples; i++) {
      const near = Math.sin((Math.PI * i) / length) ** 2;
      const engine =
        0.05 * Math.sin((2 * Math.PI * hertz * i) / RATE) + 0.04 * Math.sin((6 * Math.PI * hertz * i) / RATE);
      out[at + i] = out[at + i]! * (1 + loudness * near) + engine * near * loudness;
    }
    if (random.chance(0.2)) horn(out, at + length / 2, 0.4);
  }
  return out;
}

function horn(out: Float64Array, from: number, loudness: number): void {
  for (let i = 0; i < 0.4 * RATE && from + i < out.length; i++)
    out[Math.floor(from + i)]! +=
      loudness * (Math.sin((2 * Math.PI * 420 * i) / RATE) + Math.sin((2 * Math.PI * 530 * i) / RATE));
}

/** A telephone has little below 300 Hz. */
function highPassed(sound: Float64Array): Float64Array {
  let [before, out] = [0, 0];
  return sound.map((sample) => {
    out = 0.85 * (out + sample - before);
    before = sample;
    return out;
  });
}

const fill = (samples: number, next: () => number): Float64Array => Float64Array.from({ length: samples }, next);

const sum = (one: Float64Array, other: Float64Array): Float64Array => one.map((sample, i) => sample + other[i]!);
