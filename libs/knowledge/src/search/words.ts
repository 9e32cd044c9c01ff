type WordKind = typeof LETTER | typeof IDEOGRAPH | typeof UNSPACED_LETTER;

/** One word, or one run of characters without spaces, in `units[0..length)`: valid during the call only. */
type TakeWord = (units: Uint16Array, length: number, kind: WordKind) => void;

/** What is longer is Base64 and the like: its first letters are enough. */
const LONGEST_WORD = 64;
/** Runs without spaces are handed on in pieces of this length. */
const LONGEST_RUN = 256;

/**
 * Words of any script, folded: NFKC, lower case, without accents. Gives units instead of strings: making millions of short
 * strings is what building a large index would otherwise spend its time on.
 */
export function scanWords(text: string, take: TakeWord): void {
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

/** A character of two units is a letter of its word, or ends it. Gives the units that follow the first. */
function takePair(word: WordBuffer, text: string, at: number): 0 | 1 {
  const code = text.codePointAt(at)!;
  if (code <= 0xffff) {
    word.end();
    return 0;
  }
  const character = String.fromCodePoint(code);
  const kind = kindOfCharacter(character);
  if (kind === SEPARATOR || kind === SEVERAL) word.end();
  else if (kind !== IGNORED) for (const unit of character.toLowerCase().split('')) word.push(unit.charCodeAt(0), kind);
  return 1;
}

class WordBuffer {
  private static readonly units = new Uint16Array(LONGEST_RUN);
  private length = 0;
  private kind: WordKind = LETTER;

  constructor(private readonly take: TakeWord) {}

  push(unit: number, kind: WordKind): void {
    if (kind !== this.kind || this.length === LONGEST_RUN) this.end();
    this.kind = kind;
    if (this.length < LONGEST_WORD || kind !== LETTER) WordBuffer.units[this.length++] = unit;
  }

  end(): void {
    if (this.length > 0) this.take(WordBuffer.units, this.length, this.kind);
    this.length = 0;
  }
}

/** Spaces, punctuation, symbols. */
const SEPARATOR = 1;
/** Of a script that puts spaces between words; a digit of any script. */
export const LETTER = 2;
/** Han, kana, Hangul: a character carries about as much as half a word. */
export const IDEOGRAPH = 3;
/** Thai, Lao, Khmer, Burmese: letters, and no spaces between words. */
const UNSPACED_LETTER = 4;
/** Stands inside a word and is not kept: soft hyphens, joiners, vowel points. */
const IGNORED = 5;
/** Becomes several letters: see `LONG_FOLDS`. */
const SEVERAL = 6;

type CharacterKind =
  typeof SEPARATOR | typeof LETTER | typeof IDEOGRAPH | typeof UNSPACED_LETTER | typeof IGNORED | typeof SEVERAL;

const NO_SPACES = /^[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]$/u;
const IDEOGRAPHIC = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}ー]$/u;
/** Scripts whose marks are accents or optional vowels; in others (Devanagari, Tamil…) a mark is a vowel of the word. */
const OPTIONAL_MARK = /^[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Inherited}]$/u;
const ACCENTED_SCRIPT = /^[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}]/u;

/** Letters that do not decompose; Arabic ones that are written for one another (hamza, final ya, ta marbuta, Persian forms). */
const SAME_AS: Record<string, string> = {
  ...{ ø: 'o', ł: 'l', đ: 'd', ð: 'd', ħ: 'h', ı: 'i', ŧ: 't', ς: 'σ' },
  ...{ أ: 'ا', إ: 'ا', آ: 'ا', ٱ: 'ا', ى: 'ي', ئ: 'ي', ی: 'ي', ؤ: 'و', ة: 'ه', ک: 'ك' },
};

/** What one character becomes when that is more than one letter. */
const LONG_FOLDS: ReadonlyMap<number, string> = new Map(
  Object.entries({ ß: 'ss', ẞ: 'ss', æ: 'ae', Æ: 'ae', œ: 'oe', Œ: 'oe', þ: 'th', Þ: 'th' }).map(([letter, fold]) => [
    letter.charCodeAt(0),
    fold,
  ]),
);

// By UTF-16 unit, filled as units are met: a regular expression per character would take longer than all the rest of an index.
const kinds = new Uint8Array(65_536);
const folds = new Uint16Array(65_536);

/** The kind of a UTF-16 unit of NFKC text. */
function kindOf(unit: number): CharacterKind {
  if (kinds[unit] === 0) learn(unit);
  return kinds[unit] as CharacterKind;
}

/** The letter that a unit counts as, once its kind was asked for: lower case, no accents, ASCII digits. */
const foldOf = (unit: number): number => folds[unit]!;

function learn(unit: number): void {
  const character = String.fromCharCode(unit);
  kinds[unit] = LONG_FOLDS.has(unit) ? SEVERAL : kindOfCharacter(character);
  folds[unit] = folded(character).charCodeAt(0);
}

/** For a whole character, also one of two units. */
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
  // й is a letter of its own, not an accented и.
  const plain = lower !== 'й' && ACCENTED_SCRIPT.test(lower) ? lower.normalize('NFD').replace(/\p{M}+/gu, '') : lower;
  return SAME_AS[plain] ?? plain;
}

/** The decimal digits of a script stand in a row, the zero first. */
function digitOf(digit: string): string {
  let value = 0;
  while (value < 9 && /^\p{Nd}$/u.test(String.fromCharCode(digit.charCodeAt(0) - value - 1))) value += 1;
  return String(value);
}
