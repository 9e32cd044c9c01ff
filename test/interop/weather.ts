import { SeededRandom } from '../support/seeded-random.js';

/** What a network does to its packets. Shares are 0-1. */
export interface Weather {
  loss: number;
  doubled: number;
  /** Each copy arrives up to that much later, evenly spread: packets overtake each other. */
  delayMs: number;
}

export const FAIR: Weather = { loss: 0, doubled: 0, delayMs: 0 };

/** What became of the packets of one stream. */
export interface Tally {
  sent: number;
  lost: number;
  doubled: number;
}

/**
 * The delays of the copies of one packet that arrive; none when it is lost. It depends on the seed and the packet's name alone, not
 * on when it comes: "the second 200 of call 7" has the same fate in every run.
 */
export function fateOf(weather: Weather, seed: string, packet: string): number[] {
  const random = new SeededRandom(`${seed} ${packet}`);
  if (random.chance(weather.loss)) return [];
  const copies = random.chance(weather.doubled) ? 2 : 1;
  return Array.from({ length: copies }, () => random.next() * weather.delayMs);
}

/** Notes it in the tally. */
export function countFate(tally: Tally, fate: number[]): void {
  tally.sent++;
  if (fate.length === 0) tally.lost++;
  if (fate.length > 1) tally.doubled++;
}
