import { SAMPLE_RATE } from '../speech/voice.js';

/** 40 ms, two frames: a tone is then 100 Hz wide, which keeps two tones apart that are musical neighbours at 1 kHz. */
export const WINDOW_SAMPLES = 320;
const SIZE = 512;
export const BIN_HZ = SAMPLE_RATE / SIZE;

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
export function powerSpectrum(window: Float64Array): Float64Array {
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
