import type { Pronunciation } from '../pipeline-options.js';

/** Scripts whose words have no spaces around them. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u;
const WORD_CHARACTER = /[\p{L}\p{M}\p{N}_]/u;
/** Also the keys of emoji such as `1️⃣`, whose first character is the digit itself. */
const PICTURES = /\p{Extended_Pictographic}|\p{Emoji_Modifier}|\p{Regional_Indicator}|\u{FE0F}|\u{200D}|\u{20E3}/gu;
const TEN = /\u{1F51F}/gu;

/** Replaces written forms by their spoken forms: whole words, the longest first, in either case. Only the synthesizer gets the result. */
export class PronunciationDictionary {
  private readonly spoken = new Map<string, string>();
  private readonly pattern: RegExp | undefined;

  constructor(entries: readonly Pronunciation[] = []) {
    for (const { text, spoken } of entries) {
      const key = keyOf(text);
      if (key !== '' && !this.spoken.has(key)) this.spoken.set(key, spoken);
    }
    const written = [...this.spoken.keys()].toSorted((a, b) => b.length - a.length);
    this.pattern = written.length > 0 ? new RegExp(written.map(wholeWord).join('|'), 'giu') : undefined;
  }

  apply(text: string): string {
    const normal = text.normalize('NFC').replace(TEN, '10').replace(PICTURES, '');
    const { pattern, spoken } = this;
    return pattern ? normal.replace(pattern, (found) => spoken.get(keyOf(found)) ?? found) : normal;
  }
}

/** Whether a synthesizer has anything to say. */
export const isPronounceable = (text: string): boolean => /[\p{L}\p{N}\u{1F51F}]/u.test(text);

const keyOf = (text: string): string => text.normalize('NFC').trim().replace(/\s+/g, ' ').toLowerCase();

function wholeWord(written: string): string {
  const literal = written.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&').replace(/ /g, '\\s+');
  const characters = Array.from(written);
  const before = edge(characters[0]!) ? '(?<![\\p{L}\\p{M}\\p{N}_])' : '';
  const after = edge(characters.at(-1)!) ? '(?![\\p{L}\\p{M}\\p{N}_])' : '';
  return `${before}${literal}${after}`;
}

const edge = (character: string): boolean => WORD_CHARACTER.test(character) && !UNSPACED.test(character);
