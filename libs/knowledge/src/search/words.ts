import {
  foldOf,
  type IDEOGRAPH,
  IGNORED,
  kindOf,
  kindOfCharacter,
  LETTER,
  LONG_FOLDS,
  SEPARATOR,
  SEVERAL,
  type UNSPACED_LETTER,
} from './characters.js';

export type WordKind = typeof LETTER | typeof IDEOGRAPH | typeof UNSPACED_LETTER;

/** One word, or one run of characters without spaces, in `units[0..length)`: valid during the call only. */
export type TakeWord = (units: Uint16Array, length: number, kind: WordKind) => void;

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
