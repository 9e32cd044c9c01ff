/**
 * Histograms of milliseconds. The limits of the bins grow by 2^(1/12) = 5.9 %, and a percentile is the geometric middle of its bin: it
 * differs from the exact one (nearest rank) by at most 3 %. Below 12 ms the bins are whole milliseconds.
 */
const PER_OCTAVE = 12;
/** Twelve days; longer values are counted in the last bin. */
const LAST = 360;

/** The number of values of each bin: up to 4 billion. */
export type Bins = Uint32Array;

export const noBins = (): Bins => new Uint32Array(LAST + 1);

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
  for (const count of bins) total += count;
  if (total === 0) return null;
  const wanted = Math.max(1, Math.ceil(rank * total));
  let [bin, seen] = [0, bins[0]!];
  while (seen < wanted) seen += bins[++bin]!;
  return valueOf(bin);
}
