/**
 * Histograms of milliseconds. The limits of the bins grow by 2^(1/12) = 5.9 %, and a percentile is the geometric middle of its bin: it
 * differs from the exact one (nearest rank) by at most 3 %. Below 12 ms the bins are whole milliseconds.
 */
const PER_OCTAVE = 12;
/** Twelve days; longer values are counted in the last bin. */
const LAST = 360;

/** Bin -> number of values. */
export type Bins = Map<number, number>;

/** The bin of a value, from 1: values of the bin are less than 2^(bin / 12) ms. */
export function binOf(ms: number): number {
  if (ms < 1) return 1;
  return Math.min(LAST, Math.floor(Math.log2(ms) * PER_OCTAVE + 1e-9) + 2);
}

/** The value that stands for a bin, in ms. */
export const valueOf = (bin: number): number => (bin <= 1 ? 0 : 2 ** ((bin - 1.5) / PER_OCTAVE));

/** The value at a rank from 0 to 1 in ms, by nearest rank; null: there are no values. */
export function percentile(bins: Bins, rank: number): number | null {
  let total = 0;
  for (const count of bins.values()) total += count;
  if (total <= 0) return null;
  const wanted = Math.max(1, Math.ceil(rank * total));
  let seen = 0;
  for (const bin of [...bins.keys()].toSorted((a, b) => a - b)) {
    seen += bins.get(bin) ?? 0;
    if (seen >= wanted) return valueOf(bin);
  }
  return null;
}
