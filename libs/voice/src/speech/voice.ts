/** Samples per second of all synthesised speech: the rate of G.711. */
export const SAMPLE_RATE = 8000;

/** Synthesises one sentence. */
export interface Voice {
  readonly name: string;
  /** 16-bit mono samples at 8 kHz, never silent. Rejects when this voice cannot say the sentence. */
  speak(sentence: string, language: string | undefined): Promise<Int16Array>;
}

/** Yields to other calls between two parts of a long computation. */
const breathe = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A lower peak (of 32,767) is not speech. */
const AUDIBLE_PEAK = 500;
const TARGET_PEAK = 22_000;

export function peakOf(samples: Int16Array): number {
  let peak = 0;
  for (const sample of samples) peak = Math.max(peak, Math.abs(sample));
  return peak;
}

export const isAudible = (samples: Int16Array): boolean => peakOf(samples) >= AUDIBLE_PEAK;

/** Normalises the peak to about -3.5 dB, so that every voice is equally loud. */
export function level(samples: Int16Array): Int16Array {
  const gain = TARGET_PEAK / Math.max(peakOf(samples), 1);
  return samples.map((sample) => Math.round(sample * gain));
}

/** Zero crossings of the sinc on each side: 12 attenuate frequencies above 4 kHz by about 50 dB. */
const LOBES = 12;
/** Output samples between two pauses: about 1 ms of work. */
const BLOCK = 2000;

/** Resamples through a windowed-sinc low-pass at half the lower rate; the default target is 8 kHz. */
export async function resample(samples: Int16Array, rate: number, wanted = SAMPLE_RATE): Promise<Int16Array> {
  if (rate === wanted) return samples;
  const step = rate / wanted;
  const out = new Int16Array(Math.floor(samples.length / step));
  for (let from = 0; from < out.length; from += BLOCK) {
    const to = Math.min(from + BLOCK, out.length);
    for (let i = from; i < to; i++) out[i] = sampleAt(samples, i * step, step);
    await breathe();
  }
  return out;
}

function sampleAt(samples: Int16Array, position: number, step: number): number {
  const scale = Math.max(1, step);
  const reach = LOBES * scale;
  const last = Math.min(samples.length - 1, Math.floor(position + reach));
  let sum = 0;
  let weights = 0;
  for (let i = Math.max(0, Math.ceil(position - reach)); i <= last; i++) {
    const weight = kernel((i - position) / scale);
    sum += weight * (samples[i] ?? 0);
    weights += weight;
  }
  const value = weights > 0 ? Math.round(sum / weights) : 0;
  return Math.max(-32_768, Math.min(32_767, value));
}

const RESOLUTION = 256;
const KERNEL = Float32Array.from({ length: LOBES * RESOLUTION + 1 }, (_, i) => windowedSinc(i / RESOLUTION));

/** Called sixty times per sample: in a test runner every access to a global such as Math takes a microsecond. */
const { abs, round } = Math;

const kernel = (x: number): number => KERNEL[round(abs(x) * RESOLUTION)] ?? 0;

function windowedSinc(x: number): number {
  if (x === 0) return 1;
  const window = 0.5 + 0.5 * Math.cos((Math.PI * x) / LOBES);
  return (Math.sin(Math.PI * x) / (Math.PI * x)) * window;
}
