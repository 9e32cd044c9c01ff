/** Spaces, punctuation, symbols. */
export const SEPARATOR = 1;
/** Of a script that puts spaces between words; a digit of any script. */
export const LETTER = 2;
/** Han, kana, Hangul: a character carries about as much as half a word. */
export const IDEOGRAPH = 3;
/** Thai, Lao, Khmer, Burmese: letters, and no spaces between words. */
export const UNSPACED_LETTER = 4;
/** Stands inside a word and is not kept: soft hyphens, joiners, vowel points. */
export const IGNORED = 5;
/** Becomes several letters: see `LONG_FOLDS`. */
export const SEVERAL = 6;

export type CharacterKind =
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
export const LONG_FOLDS: ReadonlyMap<number, string> = new Map(
  Object.entries({ ß: 'ss', ẞ: 'ss', æ: 'ae', Æ: 'ae', œ: 'oe', Œ: 'oe', þ: 'th', Þ: 'th' }).map(([letter, fold]) => [
    letter.charCodeAt(0),
    fold,
  ]),
);

// By UTF-16 unit, filled as units are met: a regular expression per character would take longer than all the rest of an index.
const kinds = new Uint8Array(65_536);
const folds = new Uint16Array(65_536);

/** The kind of a UTF-16 unit of NFKC text. */
export function kindOf(unit: number): CharacterKind {
  if (kinds[unit] === 0) learn(unit);
  return kinds[unit] as CharacterKind;
}

/** The letter that a unit counts as, once its kind was asked for: lower case, no accents, ASCII digits. */
export const foldOf = (unit: number): number => folds[unit]!;

function learn(unit: number): void {
  const character = String.fromCharCode(unit);
  kinds[unit] = LONG_FOLDS.has(unit) ? SEVERAL : kindOfCharacter(character);
  folds[unit] = folded(character).charCodeAt(0);
}

/** For a whole character, also one of two units. */
export function kindOfCharacter(character: string): CharacterKind {
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
