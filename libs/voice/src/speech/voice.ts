/** Samples per second of all synthesised speech: the rate of G.711. */
export const SAMPLE_RATE = 8000;

/** Synthesises one sentence. */
export interface Voice {
  readonly name: string;
  /** 16-bit mono samples at 8 kHz, never silent. Rejects when this voice cannot say the sentence. */
  speak(sentence: string, language: string | undefined): Promise<Int16Array>;
}

/** Yields to other calls between two parts of a long computation. */
export const breathe = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

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
export function levelled(samples: Int16Array): Int16Array {
  const gain = TARGET_PEAK / Math.max(peakOf(samples), 1);
  return samples.map((sample) => Math.round(sample * gain));
}
