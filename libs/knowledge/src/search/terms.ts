/**
 * The kinds of terms. Measured on XQuAD (nDCG@10, one change at a time): without prefixes de .929 instead of .950 and ru .915
 * instead of .946; Thai with 2, 3, 4 characters .941, .970, .966; Chinese with pairs alone .965, with single characters .969.
 */
export const WORD = 0;
/** The first five letters, for declensions and compounds. */
export const PREFIX = 1;
/** One Han character, kana or Hangul syllable. */
const SINGLE = 2;
/** Two such characters, or three Thai letters. */
const GRAM = 3;
/** The letters or the digits of a word with both (`BO26232`); the same term as the word `26232`. */
export const PIECE = 4;

type TermKind = typeof WORD | typeof PREFIX | typeof SINGLE | typeof GRAM | typeof PIECE;

/** Weight of a match, by kind. */
export const TERM_WEIGHTS = [1, 0.5, 0.3, 1, 0.5] as const;

const PREFIX_LETTERS = 5;
const UNSPACED_GRAM = 3;

/** Receives a term: the two halves of its 64-bit hash and its units, which are valid during the call only. */
export type TermConsumer = (
  low: number,
  high: number,
  kind: TermKind,
  units: Uint16Array,
  from: number,
  to: number,
) => void;

/**
 * Emits every occurrence of a term, in the order of the text. Article numbers are found in every spelling: `BO26232`, `BO-26232` and
 * `bo 26232` share the terms `bo` and `26232`, the first two also `bo26232`. `1,299.00` and `1 299` have the term `1299`.
 */
export function scanTerms(text: string, take: TermConsumer): void {
  const term = (kind: TermKind, units: Uint16Array, from: number, to: number): void => {
    const hash = hashOf(kind === PIECE ? WORD : kind, units, from, to);
    take(hash, otherHash, kind, units, from, to);
  };
  const number = new CompoundNumber(term);
  scanWords(text, (units, length, kind, joint) => {
    if (kind === LETTER) {
      const from = articleLength(units, length);
      term(WORD, units, from, length);
      if (length - from >= PREFIX_LETTERS) term(PREFIX, units, from, from + PREFIX_LETTERS);
      number.add(units, length, joint);
      return;
    }
    number.end();
    const gram = kind === IDEOGRAPH ? 2 : UNSPACED_GRAM;
    if (kind === IDEOGRAPH) for (let at = 0; at < length; at += 1) term(SINGLE, units, at, at + 1);
    else if (length < gram) term(GRAM, units, 0, length);
    for (let at = 0; at + gram <= length; at += 1) term(GRAM, units, at, at + gram);
  });
  number.end();
}

/** A word with more pieces is a hash or the like. */
const MAX_PIECES = 4;
/** A number with more words is an address or a list. */
const MAX_WORDS = 6;
const MAX_NUMBER_LENGTH = 32;
const [SPACE, COMMA, HYPHEN, DOT, SLASH, UNDERSCORE, APOSTROPHE] = Array.from(" ,-./_'", (one) => one.charCodeAt(0));
const DASHES = [0x2010, 0x2012, 0x2013, 0x2212];

/** What joins two words of one number: a single character between them; 0: nothing. */
const jointOf = (unit: number): number => {
  if (DASHES.includes(unit)) return HYPHEN!;
  if (unit === 0x2019) return APOSTROPHE!;
  return [SPACE, COMMA, HYPHEN, DOT, SLASH, UNDERSCORE, APOSTROPHE].includes(unit) ? unit : 0;
};

/** Recognises article numbers and amounts that consist of several words, and emits them as one. */
class CompoundNumber {
  private static readonly units = new Uint16Array(MAX_NUMBER_LENGTH);
  private length = 0;
  private words = 0;
  private hasDigits = false;
  private hasLetters = false;
  /** The joint of all words; 0: they have several. */
  private joint = 0;
  /** Whether each word after the first has three digits, as the groups of a large number. */
  private isGrouped = true;

  constructor(private readonly term: (kind: TermKind, units: Uint16Array, from: number, to: number) => void) {}

  /** @param joint the character between the last word and this one; 0: something else. */
  add(units: Uint16Array, length: number, joint: number): void {
    const shape = shapeOf(units, length);
    if (shape === MIXED) this.addPieces(units, length);
    if (this.words > 0 && !this.continues(shape, length, joint)) this.end();
    if (this.words > 0) {
      this.isGrouped &&= length === GROUP && shape === DIGITS;
      this.joint = this.words === 1 || this.joint === joint ? joint : 0;
    } else this.isGrouped = shape === DIGITS && length <= GROUP;
    this.words += 1;
    this.hasDigits ||= shape !== LETTERS;
    this.hasLetters ||= shape !== DIGITS;
    for (let at = 0; at < length && this.length < MAX_NUMBER_LENGTH; at += 1)
      CompoundNumber.units[this.length++] = units[at]!;
  }

  end(): void {
    const { words, length, joint, isGrouped } = this;
    const isLarge = isGrouped && (joint === COMMA || joint === DOT || joint === APOSTROPHE || joint === SPACE);
    const isNumber = this.hasDigits && joint !== COMMA && joint !== APOSTROPHE && joint !== SPACE;
    // `99.90` and `2.0` are not article numbers, `4.711.2` and `v2.0` are.
    const isArticle = isNumber && (joint !== DOT || this.hasLetters || words > 2);
    if (words > 1 && words <= MAX_WORDS && length < MAX_NUMBER_LENGTH && (isLarge || isArticle))
      this.term(WORD, CompoundNumber.units, 0, length);
    this.length = this.words = this.joint = 0;
    this.hasDigits = this.hasLetters = false;
  }

  /** A comma, an apostrophe or a space joins only the groups of a large number; its decimals follow another joint. */
  private continues(shape: Shape, length: number, joint: number): boolean {
    if (joint === 0) return false;
    if (joint === COMMA || joint === APOSTROPHE || joint === SPACE)
      return this.isGrouped && shape === DIGITS && length === GROUP && (this.words === 1 || this.joint === joint);
    return !(this.words > 1 && this.isGrouped && joint !== this.joint && this.joint !== HYPHEN && this.joint !== SLASH);
  }

  private addPieces(units: Uint16Array, length: number): void {
    const ends: number[] = [];
    for (let at = 1; at <= length; at += 1)
      if (at === length || isDigit(units[at]!) !== isDigit(units[at - 1]!)) ends.push(at);
    if (ends.length > MAX_PIECES) return;
    ends.forEach((to, at) => this.term(PIECE, units, ends[at - 1] ?? 0, to));
  }
}

/** Digits between two separators of a large number. */
const GROUP = 3;
const LETTERS = 1;
const DIGITS = 2;
const MIXED = 3;
type Shape = typeof LETTERS | typeof DIGITS | typeof MIXED;

/** Digits of all scripts are folded to ASCII. */
const isDigit = (unit: number): boolean => unit >= 48 && unit <= 57;

function shapeOf(units: Uint16Array, length: number): Shape {
  let shape = 0;
  for (let at = 0; at < length && shape !== MIXED; at += 1) shape |= isDigit(units[at]!) ? DIGITS : LETTERS;
  return shape as Shape;
}

let otherHash = 0;

/** FNV-1a over the units with a different seed per kind; the second half is returned in `otherHash`. */
function hashOf(kind: TermKind, units: Uint16Array, from: number, to: number): number {
  let low = 0x811c9dc5 ^ kind;
  let high = 0x9e3779b9 + kind;
  for (let at = from; at < to; at += 1) {
    low = Math.imul(low ^ units[at]!, 0x01000193);
    high = Math.imul(high ^ units[at]!, 0x85ebca6b);
    high ^= high >>> 13;
  }
  otherHash = high >>> 0;
  low = Math.imul(low ^ (low >>> 15), 0x2c1b3c6d);
  return (low ^ (low >>> 13)) >>> 0;
}

const [ALEF, BEH, FEH, KAF, LAM, WAW] = [0, 1, 2, 3, 4, 5].map((at) => 'ابفكلو'.charCodeAt(at));
/** A stem has at least three letters. */
const STEM = 3;

/**
 * Length of the Arabic article, conjunctions and prepositions that are joined to the next word: ال, وال, بال, كال, فال, لل, و.
 * Removing them improves XQuAD ar from .915 to .943; removing suffixes adds only .001.
 */
function articleLength(units: Uint16Array, length: number): number {
  const [first, second, third] = [units[0], units[1], units[2]];
  const joined = first === WAW || first === BEH || first === FEH || first === KAF;
  if (joined && second === ALEF && third === LAM && length >= 3 + STEM) return 3;
  const article = (first === ALEF && second === LAM) || (first === LAM && second === LAM);
  if (article && length >= 2 + STEM) return 2;
  return first === WAW && length >= 1 + STEM ? 1 : 0;
}

type WordKind = typeof LETTER | typeof IDEOGRAPH | typeof UNSPACED_LETTER;

/**
 * Receives a word, or a run of characters without spaces, in `units[0..length)`, which is valid during the call only. `joint`: the
 * single character between it and the last word, see `jointOf`.
 */
type WordConsumer = (units: Uint16Array, length: number, kind: WordKind, joint: number) => void;

/** Longer words are Base64 and the like: only the first letters are used. */
const MAX_WORD_LENGTH = 64;
/** Runs without spaces are emitted in pieces of this length. */
const MAX_RUN_LENGTH = 256;

/**
 * Emits the words of any script, folded: NFKC, lower case, without accents. Uses units instead of strings: creating millions of
 * short strings would dominate the time to build a large index.
 */
export function scanWords(text: string, take: WordConsumer): void {
  const normal = /[^ -~\s]/.test(text) ? text.normalize('NFKC') : text;
  const word = new WordBuffer(take);
  for (let at = 0; at < normal.length; at += 1) {
    const unit = normal.charCodeAt(at);
    const kind = kindOf(unit);
    if (kind === SEPARATOR) at += takePair(word, normal, at);
    else if (kind === SEVERAL) for (const letter of LONG_FOLDS.get(unit)!) word.push(letter.charCodeAt(0), LETTER);
    else if (kind !== IGNORED) word.push(foldOf(unit), kind);
  }
  word.end();
}

/** Handles a surrogate pair, which is a letter of the word or ends it. Returns the number of units after the first. */
function takePair(word: WordBuffer, text: string, at: number): 0 | 1 {
  const code = text.codePointAt(at)!;
  if (code <= 0xffff) {
    word.separate(code);
    return 0;
  }
  const character = String.fromCodePoint(code);
  const kind = kindOfCharacter(character);
  if (kind === SEPARATOR || kind === SEVERAL) word.end();
  else if (kind !== IGNORED) for (const unit of character.toLowerCase().split('')) word.push(unit.charCodeAt(0), kind);
  return 1;
}

class WordBuffer {
  private static readonly units = new Uint16Array(MAX_RUN_LENGTH);
  private length = 0;
  private kind: WordKind = LETTER;
  private joint = 0;

  constructor(private readonly take: WordConsumer) {}

  push(unit: number, kind: WordKind): void {
    if (kind !== this.kind || this.length === MAX_RUN_LENGTH) this.end();
    this.kind = kind;
    if (this.length < MAX_WORD_LENGTH || kind !== LETTER) WordBuffer.units[this.length++] = unit;
  }

  end(): void {
    if (this.length > 0) this.take(WordBuffer.units, this.length, this.kind, this.joint);
    this.length = this.joint = 0;
  }

  /** Ends the word with a separator. */
  separate(unit: number): void {
    const isFirst = this.length > 0;
    this.end();
    if (isFirst) this.joint = jointOf(unit);
  }
}

/** Spaces, punctuation, symbols. */
const SEPARATOR = 1;
/** A letter of a script with spaces between words, or a digit of any script. */
export const LETTER = 2;
/** Han, kana, Hangul: a character corresponds to about half a word. */
const IDEOGRAPH = 3;
/** Thai, Lao, Khmer, Burmese: letters, and no spaces between words. */
const UNSPACED_LETTER = 4;
/** Ignored inside a word: soft hyphens, joiners, vowel points. */
const IGNORED = 5;
/** Folded to several letters, see `LONG_FOLDS`. */
const SEVERAL = 6;

type CharacterKind =
  typeof SEPARATOR | typeof LETTER | typeof IDEOGRAPH | typeof UNSPACED_LETTER | typeof IGNORED | typeof SEVERAL;

const NO_SPACES = /^[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]$/u;
const IDEOGRAPHIC = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}ー]$/u;
/** Scripts whose marks are accents or optional vowels; in others (Devanagari, Tamil…) a mark is a vowel of the word. */
const OPTIONAL_MARK = /^[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Inherited}]$/u;
const ACCENTED_SCRIPT = /^[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}]/u;

/** Letters that do not decompose, and interchangeable Arabic letters (hamza, final ya, ta marbuta, Persian forms). */
const SAME_AS: Record<string, string> = {
  ...{ ø: 'o', ł: 'l', đ: 'd', ð: 'd', ħ: 'h', ı: 'i', ŧ: 't', ς: 'σ' },
  ...{ أ: 'ا', إ: 'ا', آ: 'ا', ٱ: 'ا', ى: 'ي', ئ: 'ي', ی: 'ي', ؤ: 'و', ة: 'ه', ک: 'ك' },
};

/** Characters folded to more than one letter. */
const LONG_FOLDS: ReadonlyMap<number, string> = new Map(
  Object.entries({ ß: 'ss', ẞ: 'ss', æ: 'ae', Æ: 'ae', œ: 'oe', Œ: 'oe', þ: 'th', Þ: 'th' }).map(([letter, fold]) => [
    letter.charCodeAt(0),
    fold,
  ]),
);

// Caches by UTF-16 unit, filled on demand: a regular expression per character would take longer than the rest of the index.
const kinds = new Uint8Array(65_536);
const folds = new Uint16Array(65_536);

/** The kind of a UTF-16 unit of NFKC text. */
function kindOf(unit: number): CharacterKind {
  if (kinds[unit] === 0) learn(unit);
  return kinds[unit] as CharacterKind;
}

/** The folded letter of a unit, valid after `kindOf`: lower case, no accents, ASCII digits. */
const foldOf = (unit: number): number => folds[unit]!;

function learn(unit: number): void {
  const character = String.fromCharCode(unit);
  kinds[unit] = LONG_FOLDS.has(unit) ? SEVERAL : kindOfCharacter(character);
  folds[unit] = folded(character).charCodeAt(0);
}

/** The kind of a character, which may consist of two units. */
function kindOfCharacter(character: string): CharacterKind {
  if (/^[\u0640\p{Cf}]$/u.test(character)) return IGNORED;
  if (/^\p{M}$/u.test(character) && OPTIONAL_MARK.test(character)) return IGNORED;
  if (!/^[\p{L}\p{N}\p{M}]$/u.test(character)) return SEPARATOR;
  if (IDEOGRAPHIC.test(character)) return IDEOGRAPH;
  return NO_SPACES.test(character) && !/^\p{N}$/u.test(character) ? UNSPACED_LETTER : LETTER;
}

function folded(character: string): string {
  const lower = character.toLowerCase();
  if (/^\p{Nd}$/u.test(lower)) return digitOf(lower);
  // й is a separate letter, not an accented и.
  const plain = lower !== 'й' && ACCENTED_SCRIPT.test(lower) ? lower.normalize('NFD').replace(/\p{M}+/gu, '') : lower;
  return SAME_AS[plain] ?? plain;
}

/** The decimal digits of a script are consecutive code points, beginning with zero. */
function digitOf(digit: string): string {
  let value = 0;
  while (value < 9 && /^\p{Nd}$/u.test(String.fromCharCode(digit.charCodeAt(0) - value - 1))) value += 1;
  return String(value);
}
