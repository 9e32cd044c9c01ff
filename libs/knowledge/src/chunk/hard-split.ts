import { isSpace, type Span } from './sentences.js';
import { reach } from './token-estimate.js';

/**
 * Cuts a text that is too long for one chunk and has no sentences: after a line, else after a clause, else after a word, in the
 * second half of what `limit` allows; a word longer than that is cut between two characters. Linear: no character is
 * looked at more than a few times.
 * @param limit weight of a piece, see `weigh`
 */
export function* hardSplit(text: string, from: number, to: number, limit: number): Generator<Span> {
  let start = from;
  while (start < to) {
    const furthest = reach(text, start, to, limit);
    const end = furthest === to ? to : bestCut(text, start, Math.max(furthest, start + 1), to);
    yield { start, end };
    start = end;
  }
}

const CLAUSE_END = ',;:，、；：،؛';

function bestCut(text: string, start: number, furthest: number, to: number): number {
  const earliest = start + ((furthest - start) >> 1);
  let clause = 0;
  let word = 0;
  for (let at = furthest; at > earliest; at--) {
    const unit = text.charCodeAt(at - 1);
    if (unit === 0x0a) return at;
    if (clause === 0 && isClauseEnd(text, at)) clause = at;
    if (word === 0 && isSpace(unit)) word = at;
  }
  return clause || word || wholeCharacter(text, start, furthest, to);
}

/** `at` is behind the space of "one, two" or behind a mark that needs none. */
const isClauseEnd = (text: string, at: number): boolean => {
  const unit = text.charCodeAt(at - 1);
  if (isSpace(unit)) return CLAUSE_END.includes(text[at - 2] ?? ' ');
  return unit > 0x7f && CLAUSE_END.includes(text[at - 1]!);
};

/** A letter with more marks than this is no letter of a language; it may be cut, so that cutting stays linear. */
const MOST_MARKS = 32;

/** The last place up to `at` that parts no letter from its marks, no emoji from its parts, and never a surrogate pair. */
function wholeCharacter(text: string, start: number, at: number, to: number): number {
  const lowest = Math.max(start + 1, at - MOST_MARKS);
  for (let cut = at; cut >= lowest; cut--) {
    if (!joins(text, cut, to)) return cut;
  }
  if (!isLowSurrogate(text.charCodeAt(at)) || at >= to) return at;
  return at - 1 > start ? at - 1 : at + 1;
}

const ZERO_WIDTH_JOINER = 0x200d;

const joins = (text: string, cut: number, to: number): boolean => {
  if (cut >= to) return false;
  const unit = text.charCodeAt(cut);
  if (unit < 0x300) return false;
  if (isLowSurrogate(unit) || unit === ZERO_WIDTH_JOINER) return true;
  return text.charCodeAt(cut - 1) === ZERO_WIDTH_JOINER || EXTENDS.test(String.fromCodePoint(text.codePointAt(cut)!));
};

/** Combining marks (variation selectors among them) and the skin tones of emoji. */
const EXTENDS = /^[\p{M}\p{Emoji_Modifier}]/u;

const isLowSurrogate = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff;
