import { languageByFunctionWords } from '../search/function-words.js';

/** UTF-16 units of the sample: more do not change the result, and 5,000 take about 2 ms. */
const SAMPLE = 5_000;
/** With fewer letters, the result may be wrong: 98 % are right with 300. */
const MIN_LETTERS = 200;
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
  async language(): Promise<string | null> {
    if ((this.sample.match(/\p{L}/gu)?.length ?? 0) < MIN_LETTERS) return null;
    const found = languageByFunctionWords(this.sample) ?? (await languageByTrigrams(this.sample));
    return found === 'und' ? null : new Intl.Locale(found).language;
  }
}

/** Loaded here, because few texts need it: loading takes 12 ms in each parser process. */
const languageByTrigrams = async (sample: string): Promise<string> => (await import('franc-min')).franc(sample);

/** The English name of a language, such as German for `de`. */
export const languageName = (code: string): string => names().of(code) ?? code;

/** Created on demand: parser processes need no names, and loading them takes 22 ms. */
const names = (): Intl.DisplayNames => (displayNames ??= new Intl.DisplayNames('en', { type: 'language' }));
let displayNames: Intl.DisplayNames | undefined;
