import { franc } from 'franc-min';
import { languageByFunctionWords } from '../search/function-words.js';

/** UTF-16 units of the sample: more do not change the result, and 5,000 take about 2 ms. */
const SAMPLE = 5_000;
/** With fewer letters, the result may be wrong: 98 % are right with 300. */
const FEWEST_LETTERS = 200;
/** Words in a line of prose. Codes and names in the cells of a table have no language. */
const WORDS_IN_A_LINE = 5;
const PROSE = new RegExp(`^\\P{L}*(?:\\p{L}+\\P{L}+){${WORDS_IN_A_LINE - 1}}\\p{L}`, 'u');
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]{5}/u;

/**
 * Detects the language of a document from the first prose of its passages: by its function words if they are clear, otherwise by
 * trigrams, which are wrong about texts that repeat a few sentences.
 */
export class LanguageSample {
  private sample = '';

  add(text: string): void {
    for (const line of text.split('\n')) {
      if (this.sample.length >= SAMPLE) return;
      const part = line.slice(0, SAMPLE - this.sample.length);
      if (PROSE.test(part) || UNSPACED.test(part)) this.sample += `${part}\n`;
    }
  }

  /** ISO 639-1 where the language has a code there, otherwise ISO 639-3; null if there is too little prose. */
  language(): string | null {
    if ((this.sample.match(/\p{L}/gu)?.length ?? 0) < FEWEST_LETTERS) return null;
    const found = languageByFunctionWords(this.sample) ?? franc(this.sample);
    return found === 'und' ? null : new Intl.Locale(found).language;
  }
}

/** The English name of a language, such as German for `de`. */
export const languageName = (code: string): string => NAMES.of(code) ?? code;

const NAMES = new Intl.DisplayNames('en', { type: 'language' });
