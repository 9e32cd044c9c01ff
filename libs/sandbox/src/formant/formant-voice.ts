import type { Voice } from '@app/voice';
import { setImmediate as breathe } from 'node:timers/promises';
import { type Gesture, gesturesOf } from './prosody.js';
import { readingOf } from './reading.js';

/** Blocks between two pauses: half a second of sound, about 1 ms of work. */
const BLOCKS_AT_ONCE = 100;

/** The built-in voice: small, robotic, always available. It reads every script, English best. */
export class FormantVoice implements Voice {
  readonly name = 'formant';

  async speak(sentence: string): Promise<Int16Array> {
    const blocks: Int16Array[] = [];
    for (const block of new VocalTract().perform(gesturesOf(readingOf(sentence)))) {
      blocks.push(block);
      if (blocks.length % BLOCKS_AT_ONCE === 0) await breathe();
    }
    return join(blocks);
  }
}

function join(blocks: Int16Array[]): Int16Array {
  const samples = new Int16Array(blocks.length * (SAMPLE_RATE / 200));
  blocks.forEach((block, index) => samples.set(block, index * block.length));
  return samples;
}

/** Samples per second of every voice. Not imported, because the speech thread loads nothing else of the libraries. */
const SAMPLE_RATE = 8000;
/** Filters are retuned every 5 ms; speech has no faster changes. */
const STEP_SAMPLES = SAMPLE_RATE / 200;
const STEP_MS = 5;
/** Share of the change to the new posture in one step: the tongue needs about 30 ms, the voice 10 ms. */
const FORMANT_GLIDE = 0.28;
const AMPLITUDE_GLIDE = 0.55;
const PITCH_GLIDE = 0.12;
const BANDWIDTHS = [70, 100, 140] as const;
const FOURTH_FORMANT = 3350;
const FOURTH_BANDWIDTH = 280;
/** Share of a glottal cycle in which air flows. */
const OPEN_QUOTIENT = 0.62;
/** Speech at the lips falls 6 dB per octave less than in the throat; without it the upper formants are inaudible. */
const LIP_RADIATION = 0.75;
const FRICTION_GAIN = 0.3;
const OUTPUT_GAIN = 6000;

/** A second-order resonance (Klatt 1980, equation 1). */
class Resonator {
  private a = 1;
  private b = 0;
  private c = 0;
  private y1 = 0;
  private y2 = 0;

  tune(frequency: number, bandwidth: number): void {
    const radius = Math.exp((-Math.PI * bandwidth) / SAMPLE_RATE);
    this.c = -radius * radius;
    this.b = 2 * radius * Math.cos((2 * Math.PI * Math.min(frequency, SAMPLE_RATE / 2 - 100)) / SAMPLE_RATE);
    this.a = 1 - this.b - this.c;
  }

  next(x: number): number {
    const y = this.a * x + this.b * this.y1 + this.c * this.y2;
    this.y2 = this.y1;
    this.y1 = y;
    return y;
  }
}

/**
 * Source and filter: a glottal pulse train and breath noise go through four formant resonances in a row, friction
 * noise through a separate resonance beside them.
 */
class VocalTract {
  private readonly tract = [new Resonator(), new Resonator(), new Resonator(), new Resonator()];
  private readonly friction = new Resonator();
  private readonly formants: [number, number, number] = [500, 1400, 2400];
  private voicing = 0;
  private aspiration = 0;
  private frication = 0;
  private pitch = 120;
  private phase = 0;
  private lastSource = 0;
  private seed = 22_222;

  /** 5 ms blocks of samples for one gesture after another; continues smoothly from the one before. */
  *perform(gestures: Gesture[]): Generator<Int16Array> {
    for (const gesture of gestures) {
      for (let done = 0; done < gesture.ms; done += STEP_MS) {
        this.approach(gesture);
        yield this.block();
      }
    }
  }

  private approach(gesture: Gesture): void {
    gesture.formants.forEach((target, i) => {
      this.formants[i] = towards(this.formants[i] ?? target, target, FORMANT_GLIDE);
      this.tract[i]?.tune(this.formants[i] ?? target, BANDWIDTHS[i] ?? 100);
    });
    this.tract[3]?.tune(FOURTH_FORMANT, FOURTH_BANDWIDTH);
    this.friction.tune(...gesture.noise);
    this.voicing = towards(this.voicing, gesture.voicing, AMPLITUDE_GLIDE);
    this.aspiration = towards(this.aspiration, gesture.aspiration, AMPLITUDE_GLIDE);
    this.frication = towards(this.frication, gesture.frication, AMPLITUDE_GLIDE);
    this.pitch = towards(this.pitch, gesture.pitch, PITCH_GLIDE);
  }

  private block(): Int16Array {
    const samples = new Int16Array(STEP_SAMPLES);
    for (let i = 0; i < samples.length; i++) {
      const source = this.voicing * this.glottis() + this.aspiration * this.noise() * 0.5;
      const radiated = source - LIP_RADIATION * this.lastSource;
      this.lastSource = source;
      const voiced = this.tract.reduce((sound, resonator) => resonator.next(sound), radiated);
      const friction = this.friction.next(this.frication * this.noise()) * FRICTION_GAIN;
      samples[i] = softLimit((voiced + friction) * OUTPUT_GAIN);
    }
    return samples;
  }

  /** Derivative of the airflow u² - u³ while the glottis is open (Klatt and Klatt 1990). */
  private glottis(): number {
    this.phase = (this.phase + this.pitch / SAMPLE_RATE) % 1;
    if (this.phase >= OPEN_QUOTIENT) return 0;
    const u = this.phase / OPEN_QUOTIENT;
    return (2 * u - 3 * u * u) * 2;
  }

  /** White noise from -1 to 1; a generator of our own, so that the same text always gives the same sound. */
  private noise(): number {
    this.seed = (Math.imul(this.seed, 1_664_525) + 1_013_904_223) >>> 0;
    return this.seed / 2_147_483_648 - 1;
  }
}

const towards = (from: number, to: number, share: number): number => from + (to - from) * share;

const softLimit = (sample: number): number => Math.round(32_000 * Math.tanh(sample / 32_000));
