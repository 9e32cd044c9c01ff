/**
 * Endings of inflection by language, longest first. A light stemmer: it joins the forms of a word (`refund`, `refunds`, `refunded`) and
 * never a word with another of a different beginning. Languages without a list are compared as they are written.
 */
const ENDINGS: Readonly<Record<string, readonly string[]>> = {
  en: ['ments', 'ings', 'ment', 'ing', 'ies', 'ers', 'ed', 'er', 'es', 'is', 'ly', 's', 'y', 'e'],
  de: ['ungen', 'ern', 'ung', 'em', 'en', 'er', 'es', 'e', 'n', 's', 't'],
  fr: [
    'ements',
    'ement',
    'ions',
    'euse',
    'eux',
    'ées',
    'ent',
    'ant',
    'ons',
    'ez',
    'ée',
    'és',
    'er',
    'es',
    'é',
    'e',
    's',
    'x',
  ],
  es: [
    'aciones',
    'ación',
    'iendo',
    'ando',
    'ados',
    'adas',
    'ado',
    'ada',
    'ar',
    'er',
    'ir',
    'es',
    'os',
    'as',
    'o',
    'a',
    'e',
    's',
  ],
  it: ['azioni', 'azione', 'ando', 'endo', 'ato', 'ata', 'ati', 'ate', 'are', 'ere', 'ire', 'o', 'a', 'i', 'e'],
  pt: [
    'ações',
    'ação',
    'ando',
    'endo',
    'ados',
    'adas',
    'ado',
    'ada',
    'ar',
    'er',
    'ir',
    'es',
    'os',
    'as',
    'o',
    'a',
    'e',
    's',
  ],
  nl: ['ingen', 'heid', 'ing', 'en', 'er', 'es', 'je', 'e', 's', 't'],
};
/** A shorter rest would join different words. */
const MIN_STEM = 3;
/** A match within a script without spaces: its words have no marks. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/** The words of a text in lower case, without punctuation, in one spelling (NFKC). */
const wordsOf = (text: string): string[] =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/['’]/gu, '')
    .match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];

/** The stem of a word in lower case; `language`: BCP 47 tag. */
function stemOf(word: string, language: string | undefined): string {
  const endings = ENDINGS[(language ?? 'en').split('-')[0]!.toLowerCase()] ?? [];
  const ending = endings.find((one) => word.length - one.length >= MIN_STEM && word.endsWith(one));
  if (!ending) return word;
  const stem = word.slice(0, -ending.length);
  // `stopped` and `stop`, `cancelled` and `cancel`.
  return stem.length > MIN_STEM && stem.at(-1) === stem.at(-2) ? stem.slice(0, -1) : stem;
}

/** Finds phrases in texts by the stems of their words. */
export class Topics {
  private readonly phrases: string[];
  private readonly unspaced: string[];

  constructor(
    topics: readonly string[],
    private readonly language: string | undefined,
  ) {
    const written = topics.map((topic) => topic.normalize('NFKC').toLowerCase().trim());
    this.unspaced = written.filter((topic) => UNSPACED.test(topic));
    this.phrases = written.filter((topic) => !UNSPACED.test(topic)).map((topic) => this.stems(topic));
  }

  isIn(text: string): boolean {
    const stems = this.stems(text);
    if (this.phrases.some((phrase) => phrase.length > 2 && stems.includes(phrase))) return true;
    if (this.unspaced.length === 0) return false;
    const written = text.normalize('NFKC').toLowerCase();
    return this.unspaced.some((topic) => written.includes(topic));
  }

  /** The stems with a space around each, so that a phrase is found at the borders of words. */
  private stems(text: string): string {
    return ` ${wordsOf(text)
      .map((word) => stemOf(word, this.language))
      .join(' ')} `;
  }
}
