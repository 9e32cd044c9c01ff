import { FRAME_MS } from '@app/telephony';
import { SAMPLE_RATE } from '../speech/voice.js';

/** A steady tone that has ended. Times are audio time since the first frame. */
export interface Tone {
  frequencies: Frequencies;
  startMs: number;
  endMs: number;
  /** The level of its loudest frame, in dB below full scale. */
  levelDb: number;
}

interface OpenTone extends Tone {
  lastDb: number;
  /** Consecutive frames that did not match. */
  strange: number;
}

/** Quieter tones are ignored. */
const QUIETEST_DB = -45;
/** A faulty generator drifts by 10 Hz; the rest is the error of short windows. */
const WANDER_HZ = 25;
/** Between two frames; a chime decays more slowly, and the swell of ANSam (ITU-T V.8) is under 4 dB. */
const STEADY_DB = 6;
/** A click spoils three windows. */
const STRANGE_FRAMES = 3;

/** Tracks steady tones of any frequency, frame by frame. */
export class Tones {
  private readonly window = new Float64Array(WINDOW_SAMPLES);
  private open: OpenTone | undefined;
  private clockMs = 0;

  /** The duration of the current tone. */
  get lastingMs(): number {
    return this.open ? this.open.endMs - this.open.startMs : 0;
  }

  /** The current tone. */
  get current(): Tone | undefined {
    return this.open;
  }

  /** Takes 20 ms and its level; returns the tone that has just ended. */
  push(samples: Int16Array, levelDb: number): Tone | undefined {
    this.window.copyWithin(0, samples.length);
    this.window.set(samples, WINDOW_SAMPLES - samples.length);
    this.clockMs += FRAME_MS;
    const frequencies = levelDb < QUIETEST_DB ? undefined : frequenciesOf(this.window);
    if (this.open && this.goesOn(this.open, frequencies, levelDb)) return undefined;
    const ended = this.open;
    this.open = frequencies && this.begin(frequencies, levelDb);
    return ended;
  }

  private begin(frequencies: Frequencies, levelDb: number): OpenTone {
    const startMs = this.clockMs - FRAME_MS;
    return { frequencies, startMs, endMs: this.clockMs, levelDb, lastDb: levelDb, strange: 0 };
  }

  private goesOn(tone: OpenTone, frequencies: Frequencies | undefined, levelDb: number): boolean {
    if (Math.abs(levelDb - tone.lastDb) > STEADY_DB) return false;
    if (frequencies && isAlike(tone.frequencies, frequencies)) {
      Object.assign(tone, { endMs: this.clockMs, lastDb: levelDb, strange: 0 });
      tone.levelDb = Math.max(tone.levelDb, levelDb);
      return true;
    }
    return ++tone.strange <= STRANGE_FRAMES;
  }
}

const isAlike = (a: Frequencies, b: Frequencies): boolean =>
  a.length === b.length && a.every((frequency, at) => Math.abs(frequency - (b[at] ?? 0)) <= WANDER_HZ);

/** 40 ms, two frames: the resolution of 100 Hz separates neighbouring semitones at 1 kHz. */
const WINDOW_SAMPLES = 320;
const SIZE = 512;
const BIN_HZ = SAMPLE_RATE / SIZE;

const HANN = Float64Array.from(
  { length: WINDOW_SAMPLES },
  (_, i) => 0.5 - 0.5 * Math.cos((2 * Math.PI * (i + 0.5)) / WINDOW_SAMPLES),
);
const COS = Float64Array.from({ length: SIZE / 2 }, (_, i) => Math.cos((2 * Math.PI * i) / SIZE));
const SIN = Float64Array.from({ length: SIZE / 2 }, (_, i) => -Math.sin((2 * Math.PI * i) / SIZE));
const REVERSED = Uint16Array.from({ length: SIZE }, (_, i) => reverseBits(i));

function reverseBits(index: number): number {
  let reversed = 0;
  for (let bit = 1; bit < SIZE; bit <<= 1) reversed = (reversed << 1) | (index & bit ? 1 : 0);
  return reversed;
}

/** Power per bin of `BIN_HZ`, from 0 to 4 kHz, of `WINDOW_SAMPLES` samples under a Hann window. About 15 µs. */
function powerSpectrum(window: Float64Array): Float64Array {
  const re = new Float64Array(SIZE);
  const im = new Float64Array(SIZE);
  for (let i = 0; i < WINDOW_SAMPLES; i++) re[REVERSED[i] as number] = (window[i] as number) * (HANN[i] as number);
  for (let half = 1; half < SIZE; half *= 2) {
    for (let from = 0; from < SIZE; from += 2 * half) butterflies(re, im, from, half);
  }
  return Float64Array.from({ length: SIZE / 2 }, (_, k) => (re[k] as number) ** 2 + (im[k] as number) ** 2);
}

/** One block of a stage of the radix-2 Fourier transform (Cooley and Tukey, 1965), in place. */
function butterflies(re: Float64Array, im: Float64Array, from: number, half: number): void {
  const step = SIZE / (2 * half);
  for (let k = 0; k < half; k++) {
    const a = from + k;
    const b = a + half;
    const cos = COS[k * step] as number;
    const sin = SIN[k * step] as number;
    const real = (re[b] as number) * cos - (im[b] as number) * sin;
    const imaginary = (re[b] as number) * sin + (im[b] as number) * cos;
    re[b] = (re[a] as number) - real;
    im[b] = (im[a] as number) - imaginary;
    re[a] = (re[a] as number) + real;
    im[a] = (im[a] as number) + imaginary;
  }
}

/** The frequencies of a tone in Hz, the lower one first. */
type Frequencies = readonly [number] | readonly [number, number];

/** Hum lies below, the end of the telephone band above. */
const MIN_BIN = Math.ceil(150 / BIN_HZ);
const MAX_BIN = Math.floor(3_800 / BIN_HZ);
/** Bins on either side that belong to a peak: the Hann window's main lobe is 50 Hz to each side. */
const LOBE = 4;

/** The share of the energy that one frequency, or two together, must have: about 8 dB over the rest. */
const SINGLE_SHARE = 0.85;
const PAIR_SHARE = 0.88;
/** The least share of the weaker of two. A square wave's third harmonic has 9 %. */
const SECOND_SHARE = 0.06;

/** The one or two frequencies with nearly all of the window's energy; undefined for speech, music, noise and silence. */
function frequenciesOf(window: Float64Array): Frequencies | undefined {
  const power = powerSpectrum(window);
  const total = energy(power, MIN_BIN, MAX_BIN);
  if (total === 0) return undefined;
  const first = takePeak(power);
  if (first.energy >= SINGLE_SHARE * total) return [first.frequency];
  const second = takePeak(power);
  if (second.energy < SECOND_SHARE * total || first.energy + second.energy < PAIR_SHARE * total) return undefined;
  const [low, high] = [first.frequency, second.frequency].sort((a, b) => a - b) as [number, number];
  return [low, high];
}

/** Removes the strongest frequency from the spectrum and returns it. */
function takePeak(power: Float64Array): { frequency: number; energy: number } {
  let peak = MIN_BIN;
  for (let k = MIN_BIN; k <= MAX_BIN; k++) if ((power[k] as number) > (power[peak] as number)) peak = k;
  const frequency = (peak + offsetOf(power, peak)) * BIN_HZ;
  const found = { frequency, energy: energy(power, peak - LOBE, peak + LOBE) };
  power.fill(0, Math.max(0, peak - LOBE), peak + LOBE + 1);
  return found;
}

/** The offset of the peak from the middle of its bin: the vertex of a parabola through three logarithms. */
function offsetOf(power: Float64Array, peak: number): number {
  const [left, middle, right] = [peak - 1, peak, peak + 1].map((k) => Math.log((power[k] ?? 0) + 1e-12)) as [
    number,
    number,
    number,
  ];
  const curve = left - 2 * middle + right;
  return curve === 0 ? 0 : Math.max(-0.5, Math.min(0.5, (left - right) / (2 * curve)));
}

function energy(power: Float64Array, from: number, to: number): number {
  let sum = 0;
  for (let k = Math.max(0, from); k <= to; k++) sum += power[k] ?? 0;
  return sum;
}

/** Published beeps last from 120 ms (a US mobile carrier) to 1.5 s; the detector loses up to a frame at their beginning. */
const MIN_BEEP_MS = 100;
const MAX_BEEP_MS = 4_000;
const MIN_BEEP_HZ = 330;

/** Single dial, ringing and busy tones lie here (ITU-T E.180), mostly at 425 Hz. */
const PROGRESS_HZ = [400, 500] as const;
/** North American dial and busy tones. */
const PROGRESS_PAIRS = [
  [350, 440],
  [480, 620],
] as const;
/** North American ringing: 440 and 480 Hz cannot be resolved in 40 ms, and look like one tone between them. */
const RINGING_HZ = [454, 466] as const;

/** ITU-T Q.23. */
const KEY_ROWS_HZ = [697, 770, 852, 941];
const KEY_COLUMNS_HZ = [1209, 1336, 1477, 1633];
const KEY_TOLERANCE = 0.025;

/** ITU-T T.30: 2.6 to 4 s of 2100 Hz. */
const FAX_HZ = 2100;
const FAX_TOLERANCE_HZ = 20;
const FAX_MS = 1_500;

/** The special information tones: nominal 950, 1400, 1800 Hz, and the North American values. */
const INTERCEPT_HZ = [
  [890, 1010],
  [1340, 1460],
  [1740, 1840],
] as const;
const INTERCEPT_GAP_MS = 100;
const INTERCEPT_MS = [180, 480] as const;

/**
 * Whether a tone followed by silence is a beep. A progress tone sounds like a beep, and counts as a beep only after speech (`afterSpeech`).
 */
export function isBeep(tone: Tone, afterSpeech: boolean): boolean {
  const ms = tone.endMs - tone.startMs;
  if (ms < MIN_BEEP_MS || ms > MAX_BEEP_MS) return false;
  const [first, second] = tone.frequencies;
  if (first < MIN_BEEP_HZ || within(first, RINGING_HZ)) return false;
  if (second === undefined) return afterSpeech || !within(first, PROGRESS_HZ);
  return !isProgressPair(first, second) && !isKey(tone.frequencies);
}

/** Whether a current or ended tone is that of a fax. */
export function isFax({ frequencies: [first, second], startMs, endMs }: Tone): boolean {
  return second === undefined && Math.abs(first - FAX_HZ) <= FAX_TOLERANCE_HZ && endMs - startMs >= FAX_MS;
}

/** Whether the last three tones of a call are the special information tones. */
export function isIntercept(tones: readonly Tone[]): boolean {
  return (
    tones.length === INTERCEPT_HZ.length &&
    tones.every((tone, at) => {
      const gapMs = tone.startMs - (tones[at - 1]?.endMs ?? tone.startMs);
      const band = INTERCEPT_HZ[at];
      const lasts = within(tone.endMs - tone.startMs, INTERCEPT_MS);
      return (
        tone.frequencies.length === 1 && band && within(tone.frequencies[0], band) && lasts && gapMs <= INTERCEPT_GAP_MS
      );
    })
  );
}

const isProgressPair = (low: number, high: number): boolean =>
  PROGRESS_PAIRS.some(([a, b]) => Math.abs(low - a) <= 15 && Math.abs(high - b) <= 15);

function isKey([low, high]: Frequencies): boolean {
  const near = (list: number[]) => (hz: number) => list.some((key) => Math.abs(hz - key) <= key * KEY_TOLERANCE);
  return high !== undefined && near(KEY_ROWS_HZ)(low) && near(KEY_COLUMNS_HZ)(high);
}

const within = (value: number, [least, most]: readonly [number, number]): boolean => value >= least && value <= most;
