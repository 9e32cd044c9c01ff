/**
 * Estimates the tokens of a text in one linear pass: exact tokenizers take 33 s for 20 KB of one letter, and a quarter of the
 * characters underestimates Chinese by a factor of three. Fitted to o200k_base on XQuAD, word by word; `bench knowledge-chunker`
 * shows the difference per language.
 */
export const estimateTokens = (text: string): number => wholeTokens(weigh(text));

/** Weights are hundredths of a token, so that sums are exact in any order. */
export const TOKEN = 100;

export const wholeTokens = (weight: number): number => Math.ceil(weight / TOKEN);

export function weigh(text: string, from = 0, to = text.length): number {
  let [script, place, weight] = START;
  for (let at = from; at < to; at++) {
    const pair = (script << SCRIPT_BITS) | (script = SCRIPT_OF[text.charCodeAt(at)]!);
    place = STAYS_IN_WORD[pair]! * (place < LAST_PLACE ? place + 1 : LAST_PLACE);
    weight += WEIGHT[(pair << PLACE_BITS) | place]!;
  }
  return weight;
}

/**
 * The position at which the weight from `from` on exceeds `limit`, at most `to`. The loop is duplicated: shared, both
 * functions are half as fast.
 */
export function reach(text: string, from: number, to: number, limit: number): number {
  let [script, place, weight] = START;
  for (let at = from; at < to; at++) {
    const pair = (script << SCRIPT_BITS) | (script = SCRIPT_OF[text.charCodeAt(at)]!);
    place = STAYS_IN_WORD[pair]! * (place < LAST_PLACE ? place + 1 : LAST_PLACE);
    weight += WEIGHT[(pair << PLACE_BITS) | place]!;
    if (weight > limit) return at;
  }
  return to;
}

/**
 * The weight of a character depends on its script and on its position in the word: the first letter, the next ones up to
 * `early`, and the later ones (long words consist of several tokens).
 */
interface Script {
  first: number;
  next: number;
  early: number;
  late: number;
  /** UTF-16 ranges, both ends included. */
  ranges: [number, number][];
}

const each = (weight: number, ...ranges: [number, number][]): Script => ({
  first: weight,
  next: weight,
  early: 0,
  late: weight,
  ranges,
});

/** Later entries win where ranges overlap. */
const SCRIPTS = {
  // Scripts without words in the vocabulary: several bytes, hence tokens, per letter.
  other: each(120, [0, 0xffff]),
  space: {
    first: 0,
    next: 4,
    early: 0,
    late: 4,
    ranges: [
      [0, 0x20],
      [0xa0, 0xa0],
      [0x2000, 0x200f],
    ],
  },
  newline: {
    first: 100,
    next: 10,
    early: 0,
    late: 10,
    ranges: [
      [0x0a, 0x0d],
      [0x2028, 0x2029],
    ],
  },
  punctuation: {
    first: 95,
    next: 25,
    early: 0,
    late: 25,
    ranges: [
      [0x21, 0x2f],
      [0x3a, 0x40],
      [0x5b, 0x60],
      [0x7b, 0xbf],
      [0x2010, 0x2027],
      [0x202a, 0x2bff],
    ],
  },
  // Three digits make a token.
  digit: { first: 95, next: 33, early: 0, late: 33, ranges: [[0x30, 0x39]] },
  upper: { first: 100, next: 25, early: 0, late: 25, ranges: [[0x41, 0x5a]] },
  lower: { first: 100, next: 2, early: 6, late: 14, ranges: [[0x61, 0x7a]] },
  // Letters with marks occur in languages whose words are rarer in the vocabulary than English ones.
  marked: {
    first: 110,
    next: 22,
    early: 5,
    late: 30,
    ranges: [
      [0xc0, 0x36f],
      [0x1e00, 0x1eff],
    ],
  },
  greekAndCyrillic: {
    first: 100,
    next: 12,
    early: 4,
    late: 21,
    ranges: [
      [0x370, 0x58f],
      [0x1f00, 0x1fff],
    ],
  },
  hebrewAndArabic: {
    first: 100,
    next: 8,
    early: 3,
    late: 28,
    ranges: [
      [0x590, 0x8ff],
      [0xfb1d, 0xfdff],
      [0xfe70, 0xfeff],
    ],
  },
  indic: { first: 70, next: 20, early: 0, late: 20, ranges: [[0x900, 0xdff]] },
  // Thai, Lao, Tibetan, Burmese, Georgian, Khmer: no spaces between words, or none that tokens follow.
  southEastAsian: {
    first: 80,
    next: 42,
    early: 0,
    late: 42,
    ranges: [
      [0xe00, 0x10ff],
      [0x1780, 0x17ff],
    ],
  },
  hangul: each(68, [0x1100, 0x11ff], [0xac00, 0xd7af]),
  han: each(82, [0x2e80, 0x9fff], [0xf900, 0xfaff]),
  kana: each(62, [0x3040, 0x30ff]),
  widePunctuation: each(98, [0x3000, 0x303f], [0xff00, 0xffef]),
  // Halves of emoji and rare characters.
  surrogate: each(90, [0xd800, 0xdfff]),
  // Joiners and variation selectors, which extend the character before them.
  joiner: each(20, [0x200c, 0x200d], [0xfe00, 0xfe0f]),
} satisfies Record<string, Script>;

const TABLE: Script[] = Object.values(SCRIPTS);
const SCRIPT_OF = scriptOfEachUnit();

const numberOf = (name: keyof typeof SCRIPTS): number => Object.keys(SCRIPTS).indexOf(name);
const SPACE = numberOf('space');
const DIGIT = numberOf('digit');
const UPPER = numberOf('upper');
const LOWER = numberOf('lower');
const MARKED = numberOf('marked');

/** Script, place in the word and weight before the first character of a text. */
const START: readonly [script: number, place: number, weight: number] = [SPACE, 0, 0];

// One look-up per character without a branch is twice as fast as conditions. The index of the tables consists of the previous
// script, the script, and the place in the word; the eighth place stands for all later ones.
const SCRIPT_BITS = 5;
const PLACE_BITS = 3;
const LAST_PLACE = 2 ** PLACE_BITS - 1;
const STAYS_IN_WORD = new Uint8Array(2 ** (2 * SCRIPT_BITS));
const WEIGHT = new Uint8Array(2 ** (2 * SCRIPT_BITS + PLACE_BITS));
TABLE.forEach((_, before) => TABLE.forEach((_, script) => tabulate(before, script)));

function scriptOfEachUnit(): Uint8Array {
  const scripts = new Uint8Array(0x10000);
  TABLE.forEach((script, number) => {
    for (const [from, to] of script.ranges) scripts.fill(number, from, to + 1);
  });
  return scripts;
}

function tabulate(before: number, number: number): void {
  const script = TABLE[number]!;
  const pair = (before << SCRIPT_BITS) | number;
  STAYS_IN_WORD[pair] = Number(staysInWord(before, number));
  // Tokens of words include the space before them, tokens of numbers do not.
  WEIGHT[pair << PLACE_BITS] = script.first + (number === DIGIT && before === SPACE ? 50 : 0);
  for (let place = 1; place <= LAST_PLACE; place++) {
    WEIGHT[(pair << PLACE_BITS) | place] = place < script.early ? script.next : script.late;
  }
}

/** Tokens end where the script changes and before a capital inside a word. */
function staysInWord(before: number, script: number): boolean {
  const isLatin = before === LOWER || before === UPPER || before === MARKED;
  return script === before || (isLatin && (script === LOWER || script === MARKED));
}

/** Weights, see `weigh`. A chunk is filled up to the target; indivisible pieces may extend it up to the limit. */
export const TARGET = 300 * TOKEN;

/** Local embedders read 512 tokens: the remainder is for the title and the headings. */
export const LIMIT = 480 * TOKEN;

/** A lighter chunk has too little content on its own; it takes the next piece even if that exceeds the target. */
export const TINY = 60 * TOKEN;

/** A lighter section shares a chunk with its siblings. */
export const SMALL_SECTION = 100 * TOKEN;

/** A heavier sentence is not repeated at the start of the next chunk. */
export const OVERLAP = 60 * TOKEN;

/** A longer "heading" is a paragraph in large letters; it would displace text in each chunk below it. */
export const HEADING = 60 * TOKEN;

/** A table with a heavier header names the column in each cell instead, and only for cells that are not empty. */
export const HEADER_LINE = 100 * TOKEN;

/** Column names inside cells are cut to this weight; the complete names are then written once before the table. */
export const LABEL = 30 * TOKEN;

/** The role of a character in word counting; `whole`: a word by itself (its script has no spaces between words). */
type Role = 'none' | 'space' | 'letter' | 'whole';

/** Counts words as people do: sequences between spaces with a letter or a digit; Chinese and Japanese by character. */
export function countWords(text: string): number {
  let words = 0;
  let counted = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.codePointAt(at) ?? 0;
    if (code > 0xffff) at++;
    const role = roleOf(code);
    if (role === 'whole' || (role === 'letter' && !counted)) words++;
    if (role !== 'none') counted = role === 'letter';
  }
  return words;
}

const known: Role[] = [];

/** Cached: testing Unicode properties costs more than everything else. */
const roleOf = (code: number): Role => (known[code] ??= role(String.fromCodePoint(code)));

function role(character: string): Role {
  if (/\s/u.test(character)) return 'space';
  if (/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u.test(character)) return 'whole';
  return /[\p{L}\p{N}]/u.test(character) ? 'letter' : 'none';
}
