import { SeededRandom } from '../../support/seeded-random.js';

/** The quality of a network. Shares are 0-1. */
export interface Weather {
  loss: number;
  doubled: number;
  /** Each copy is delayed by up to this time, evenly distributed: packets overtake each other. */
  delayMs: number;
}

export const FAIR: Weather = { loss: 0, doubled: 0, delayMs: 0 };

/** The counts of the packets of one stream. */
export interface Tally {
  sent: number;
  lost: number;
  doubled: number;
}

/**
 * The delays of the delivered copies of one packet; none when it is lost. They depend only on the seed and the name of the packet, not
 * on time: "the second 200 of call 7" has the same fate in every run.
 */
export function fateOf(weather: Weather, seed: string, packet: string): number[] {
  const random = new SeededRandom(`${seed} ${packet}`);
  if (random.chance(weather.loss)) return [];
  const copies = random.chance(weather.doubled) ? 2 : 1;
  return Array.from({ length: copies }, () => random.next() * weather.delayMs);
}

/** Adds the fate to the tally. */
export function countFate(tally: Tally, fate: number[]): void {
  tally.sent++;
  if (fate.length === 0) tally.lost++;
  if (fate.length > 1) tally.doubled++;
}
