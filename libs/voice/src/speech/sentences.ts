const SENTENCES = new Intl.Segmenter(undefined, { granularity: 'sentence' });
const ENDS_IN_ABBREVIATION = /(?:^|\s)(?:Mr|Mrs|Ms|Dr|Prof|St|No|vs|e\.g|i\.e|z\.B|Nr)\.\s*$/;
const LONGEST = 240;

/**
 * Splits a text into sentences with their punctuation. None is longer than 240 characters, so that the first audio does not wait
 * for a whole page.
 */
export function sentencesOf(text: string): string[] {
  const sentences: string[] = [];
  for (const { segment } of SENTENCES.segment(text)) {
    const last = sentences.at(-1);
    if (last && ENDS_IN_ABBREVIATION.test(last)) sentences[sentences.length - 1] = last + segment;
    else sentences.push(segment);
  }
  return sentences
    .flatMap(pieces)
    .map((piece) => piece.trim())
    .filter(Boolean);
}

function pieces(sentence: string): string[] {
  if (sentence.length <= LONGEST) return [sentence];
  const head = sentence.slice(0, LONGEST);
  const cut = Math.max(head.lastIndexOf(', ') + 1, head.lastIndexOf('; ') + 1) || head.lastIndexOf(' ') || LONGEST;
  const at = cut > 0 ? cut : safeCut(sentence);
  return [sentence.slice(0, at), ...pieces(sentence.slice(at))];
}

/** Does not split a surrogate pair. */
function safeCut(sentence: string): number {
  const code = sentence.charCodeAt(LONGEST - 1);
  return code >= 0xd800 && code <= 0xdbff ? LONGEST - 1 : LONGEST;
}
