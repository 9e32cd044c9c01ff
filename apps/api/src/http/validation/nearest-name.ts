import { distance } from 'fastest-levenshtein';

/** A similar name has at most one mistake per this many letters, and at least one is allowed: the rule of libs/client, which other programs install. */
const LETTERS_PER_MISTAKE = 3;

/** The most similar of the known names, if one is similar enough: `to_number` for `toNumber`, `record` for `recrod`. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  const given = name.toLowerCase();
  const [best] = known
    .map((one) => ({ one, mistakes: distance(given, one.toLowerCase()) }))
    .toSorted((a, b) => a.mistakes - b.mistakes);
  return best && best.mistakes <= Math.max(1, Math.floor(given.length / LETTERS_PER_MISTAKE)) ? best.one : undefined;
}
