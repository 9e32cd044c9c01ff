const SENTENCES = new Intl.Segmenter(undefined, { granularity: 'sentence' });
const ENDS_IN_ABBREVIATION = /(?:^|\s)(?:Mr|Mrs|Ms|Dr|Prof|St|No|vs|e\.g|i\.e|z\.B|Nr)\.\s*$/;
const LONGEST = 240;

/**
 * Splits a text into what is spoken in one go. Sentences keep their punctuation, and none is longer than 240
 * characters: the first sound may not wait for a page.
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

/** Does not cut between the two halves of a surrogate pair. */
function safeCut(sentence: string): number {
  const code = sentence.charCodeAt(LONGEST - 1);
  return code >= 0xd800 && code <= 0xdbff ? LONGEST - 1 : LONGEST;
}
