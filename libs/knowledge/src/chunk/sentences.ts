/** A piece of a text: from `start` up to, but not including, `end`. */
export interface Span {
  start: number;
  end: number;
}

/**
 * Where a sentence may end: a mark with what closes after it, then a space (Latin, Cyrillic, Greek); the full stops of
 * Chinese and Japanese, Arabic, Urdu and Indic scripts, which need none; a space between Thai letters, which has no other
 * mark. Every repetition is bounded, so that the search stays linear on a text made of full stops.
 */
const END =
  /[.!?…]["'”’»)\]]{0,4}(?=\s)|[。！？｡؟۔।॥]["'”’」』）】》»)]{0,4}(?![。！？｡؟۔।॥])|(?<=[\u0e00-\u0e7f]) (?=[\u0e00-\u0e7f])/g;

/** Words that a full stop belongs to. One letter (initials) and one or two digits (`3. Oktober`, `2. item`) do not end either. */
const ABBREVIATIONS = new Set(
  (
    'mr mrs ms dr prof st sr jr vs etc inc ltd co corp dept fig figs eq no nos vol ed eds al cf approx est gen col sgt capt lt rev hon ' +
    'gov sen rep jan feb mar apr jun jul aug sep sept oct nov dec e.g i.e a.m p.m u.s u.k ' +
    'nr bzw usw ca abb abs art bd evtl ggf inkl mio mrd sog tel vgl str z.b d.h u.a z.t ' +
    'т.е т.д т.п т.к т.н др пр гг им св ул руб тыс млн млрд см стр рис н.э ' +
    'sra srta ud uds pág núm aprox mme mlle m.me env sig dott ing avv'
  ).split(' '),
);

/** No abbreviation above is longer. */
const LONGEST_WORD = 8;

/** The sentences of `text` between `from` and `to`, each with the space that follows it. Together they are the whole. */
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
  const piece = text.slice(Math.max(start, mark - LONGEST_WORD - 1), mark);
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
