import { reach } from './text-measures.js';

/**
 * Cuts a text that is too long for one chunk and has no sentences: after a line, else after a clause, else after a word, in the
 * second half of the `limit`; a longer word is cut between two characters. Linear: each character is read only a few times.
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

/** Whether `at` follows the space of "one, two" or a mark that is used without a space. */
const isClauseEnd = (text: string, at: number): boolean => {
  const unit = text.charCodeAt(at - 1);
  if (isSpace(unit)) return CLAUSE_END.includes(text[at - 2] ?? ' ');
  return unit > 0x7f && CLAUSE_END.includes(text[at - 1]!);
};

/** No language has letters with more marks. Such a letter may be cut, so that the search stays linear. */
const MAX_MARKS = 32;

/**
 * The last position up to `at` that separates no letter from its marks and no emoji from its parts; never splits a
 * surrogate pair.
 */
function wholeCharacter(text: string, start: number, at: number, to: number): number {
  const lowest = Math.max(start + 1, at - MAX_MARKS);
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

/** A part of a text: from `start` up to, but not including, `end`. */
export interface Span {
  start: number;
  end: number;
}

/**
 * Where a sentence may end: a mark with closing quotes or brackets and a space (Latin, Cyrillic, Greek); the full stops of
 * Chinese and Japanese, Arabic, Urdu and Indic scripts, which need no space; a space between Thai letters, the only mark there.
 * Every repetition is bounded, so that the search stays linear on a text made of full stops.
 */
const END =
  /[.!?…]["'”’»)\]]{0,4}(?=\s)|[。！？｡؟۔।॥]["'”’」』）】》»)]{0,4}(?![。！？｡؟۔।॥])|(?<=[\u0e00-\u0e7f]) (?=[\u0e00-\u0e7f])/g;

/**
 * Abbreviations: their full stop ends no sentence. Nor does the one after a single letter (initials) or one or two
 * digits (`3. Oktober`).
 */
const ABBREVIATIONS = new Set(
  (
    'mr mrs ms dr prof st sr jr vs etc inc ltd co corp dept fig figs eq no nos vol ed eds al cf approx est gen col sgt capt lt rev hon ' +
    'gov sen rep jan feb mar apr jun jul aug sep sept oct nov dec e.g i.e a.m p.m u.s u.k ' +
    'nr bzw usw ca abb abs art bd evtl ggf inkl mio mrd sog tel vgl str z.b d.h u.a z.t ' +
    'т.е т.д т.п т.к т.н др пр гг им св ул руб тыс млн млрд см стр рис н.э ' +
    'sra srta ud uds pág núm aprox mme mlle m.me env sig dott ing avv'
  ).split(' '),
);

/** Length of the longest abbreviation above, rounded up. */
const MAX_WORD_LENGTH = 8;

/** The sentences of `text` between `from` and `to`, each with its trailing space. Together they cover the whole range. */
export function* sentences(text: string, from = 0, to = text.length): Generator<Span> {
  const ends = new RegExp(END);
  ends.lastIndex = from;
  let start = from;
  for (let match = ends.exec(text); match && match.index < to; match = ends.exec(text)) {
    const mark = match.index;
    const end = skipSpace(text, mark + match[0].length, to);
    if (end >= to) break;
    if (!isEnd(text, mark, end, start)) continue;
    yield { start, end };
    start = end;
  }
  if (start < to) yield { start, end: to };
}

function isEnd(text: string, mark: number, next: number, start: number): boolean {
  if (!'.!?…'.includes(text[mark]!)) return true;
  // "e. coli", "Yahoo! was", "… and then".
  if (/^["'“‘«(]?\p{Ll}/u.test(text.slice(next, next + 3))) return false;
  return text[mark] !== '.' || !belongsToStop(wordBefore(text, mark, start));
}

function wordBefore(text: string, mark: number, start: number): string {
  const piece = text.slice(Math.max(start, mark - MAX_WORD_LENGTH - 1), mark);
  return piece.slice(piece.search(/[^\s("'“‘«[]*$/));
}

const belongsToStop = (word: string): boolean =>
  /^(?:\p{L}|\d{1,2})$/u.test(word) || ABBREVIATIONS.has(word.toLowerCase());

function skipSpace(text: string, from: number, to: number): number {
  let at = from;
  while (at < to && isSpace(text.charCodeAt(at))) at++;
  return at;
}

export const isSpace = (unit: number): boolean =>
  unit === 0x20 || (unit >= 9 && unit <= 13) || unit === 0xa0 || unit === 0x3000 || unit === 0x2028 || unit === 0x2029;
