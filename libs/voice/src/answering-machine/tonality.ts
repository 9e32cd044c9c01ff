import { BIN_HZ, powerSpectrum } from './spectrum.js';

/** What a tone is made of, in Hz, the lower frequency first. */
export type Frequencies = readonly [number] | readonly [number, number];

/** Below it hum; the top of the telephone band is its end. */
const LOWEST_BIN = Math.ceil(150 / BIN_HZ);
const HIGHEST_BIN = Math.floor(3_800 / BIN_HZ);
/** Bins on either side that belong to a peak: the Hann window's main lobe is 50 Hz to each side. */
const LOBE = 4;

/** Parts of the whole energy that one frequency, or two together, must hold: about 8 dB over everything else. */
const SINGLE_SHARE = 0.85;
const PAIR_SHARE = 0.88;
/** The weaker of two. A square wave's third harmonic has 9 %. */
const SECOND_SHARE = 0.06;

/** The one or two frequencies that hold nearly all of the window's energy; undefined for speech, music, noise and silence. */
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

/** The strongest frequency, and takes it out of the spectrum. */
function takePeak(power: Float64Array): { frequency: number; energy: number } {
  let peak = LOWEST_BIN;
  for (let k = LOWEST_BIN; k <= HIGHEST_BIN; k++) if ((power[k] as number) > (power[peak] as number)) peak = k;
  const frequency = (peak + offsetOf(power, peak)) * BIN_HZ;
  const found = { frequency, energy: energy(power, peak - LOBE, peak + LOBE) };
  power.fill(0, Math.max(0, peak - LOBE), peak + LOBE + 1);
  return found;
}

/** How far from the middle of its bin the peak really is: the vertex of a parabola through three logarithms. */
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
