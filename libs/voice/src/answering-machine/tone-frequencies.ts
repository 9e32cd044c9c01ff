import { SAMPLE_RATE } from '../speech/voice.js';

/** 40 ms, two frames: a tone is then 100 Hz wide, which separates neighbouring semitones at 1 kHz. */
export const WINDOW_SAMPLES = 320;
const SIZE = 512;
const BIN_HZ = SAMPLE_RATE / SIZE;

const HANN = Float64Array.from(
  { length: WINDOW_SAMPLES },
  (_, i) => 0.5 - 0.5 * Math.cos((2 * Math.PI * (i + 0.5)) / WINDOW_SAMPLES),
);
const COS = Float64Array.from({ length: SIZE / 2 }, (_, i) => Math.cos((2 * Math.PI * i) / SIZE));
const SIN = Float64Array.from({ length: SIZE / 2 }, (_, i) => -Math.sin((2 * Math.PI * i) / SIZE));
const REVERSED = Uint16Array.from({ length: SIZE }, (_, i) => reversedBits(i));

function reversedBits(index: number): number {
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
export type Frequencies = readonly [number] | readonly [number, number];

/** Hum lies below, the end of the telephone band above. */
const LOWEST_BIN = Math.ceil(150 / BIN_HZ);
const HIGHEST_BIN = Math.floor(3_800 / BIN_HZ);
/** Bins on either side that belong to a peak: the Hann window's main lobe is 50 Hz to each side. */
const LOBE = 4;

/** The share of the energy that one frequency, or two together, must have: about 8 dB over the rest. */
const SINGLE_SHARE = 0.85;
const PAIR_SHARE = 0.88;
/** The least share of the weaker of two. A square wave's third harmonic has 9 %. */
const SECOND_SHARE = 0.06;

/** The one or two frequencies with nearly all of the window's energy; undefined for speech, music, noise and silence. */
export function frequenciesOf(window: Float64Array): Frequencies | undefined {
  const power = powerSpectrum(window);
  const total = energy(power, LOWEST_BIN, HIGHEST_BIN);
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
  let peak = LOWEST_BIN;
  for (let k = LOWEST_BIN; k <= HIGHEST_BIN; k++) if ((power[k] as number) > (power[peak] as number)) peak = k;
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
