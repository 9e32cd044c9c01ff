/** The quietest amplitude that a meter shows. */
const FLOOR_DB = -50;

/** Share of a meter that an amplitude (0 to 1) fills, on the scale of the ear: a meter of amplitudes hardly moves. */
export function loudnessOf(amplitude: number): number {
  if (amplitude <= 0) return 0;
  return Math.min(1, Math.max(0, 1 - (20 * Math.log10(amplitude)) / FLOOR_DB));
}
