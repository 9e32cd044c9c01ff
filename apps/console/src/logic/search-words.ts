const SHORT = 3;
/** Words of this length also match longer forms (park, parking); longer forms of shorter words are other words (can, cancel). */
const LONG = 4;
const LONGEST_ENDING = 3;

/** Splits a text at the words of a query: every second part is a match. Only whole words match. */
export function splitAtWords(text: string, query: string): string[] {
  const wanted = [...new Set(query.toLowerCase().match(/[\p{L}\p{N}]+/gu))].filter((word) => word.length >= SHORT);
  if (wanted.length === 0) return [text];
  const forms = wanted.map((word) => (word.length < LONG ? word : `${word}\\p{L}{0,${LONGEST_ENDING}}`));
  return text.split(new RegExp(`(?<![\\p{L}\\p{N}])(${forms.join('|')})(?![\\p{L}\\p{N}])`, 'giu'));
}
