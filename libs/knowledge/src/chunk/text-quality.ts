export const TEXT_QUALITIES = ['good', 'suspect'] as const;
export type TextQualityGrade = (typeof TEXT_QUALITIES)[number];

/** `reason`: `CODE: sentence and remedy` of a suspect text. */
export interface TextQuality {
  quality: TextQualityGrade;
  reason: string | null;
}

/** Whether a text looks as if its letters were lost on the way from the file. */
export const qualityOf = (text: string): TextQuality => {
  const meter = new TextQualityMeter();
  meter.add(text);
  return meter.verdict();
};

/** Characters that are measured one after the other; of longer documents, every 32nd passage counts. */
const WHOLE = 100_000;
const EVERY = 32;
/** Texts with fewer letters, words or characters have no meaningful shares. */
const MIN = { letters: 150, words: 60, characters: 150, unreadable: 12, marks: 40 };

const REMEDY = {
  font: 'Export the document again with embedded fonts, or run it through text recognition (OCR).',
  encoding: 'Save the document in UTF-8 and upload it again.',
  order: 'Export the document again from its program, or run it through text recognition (OCR).',
};

/** Measures texts piece by piece; holds counters only. */
export class TextQualityMeter {
  private readonly counts: Counts = emptyCounts();
  private measured = 0;
  private skipped = 0;

  add(text: string): void {
    if (this.measured > WHOLE && ++this.skipped % EVERY !== 0) return;
    this.measured += text.length;
    count(text, this.counts);
  }

  /** `unreadable`: glyphs without a character that an extractor has left out. */
  verdict(unreadable = 0): TextQuality {
    const counts = { ...this.counts, unreadable: this.counts.unreadable + unreadable };
    const reason = reasonOf({ ...counts, characters: counts.characters + unreadable });
    return { quality: reason === undefined ? 'good' : 'suspect', reason: reason ?? null };
  }
}

type Counts = ReturnType<typeof emptyCounts>;

const emptyCounts = () => ({
  /** Without white space; repeated signs ("-----") count once. */
  characters: 0,
  letters: 0,
  digits: 0,
  signs: 0,
  unreadable: 0,
  /** UTF-8 read as a one-byte encoding: "Ã¼". */
  misreadPairs: 0,
  /** Letters of Western European languages beyond a to z. */
  accented: 0,
  latin: 0,
  latinVowels: 0,
  rareLatin: 0,
  cyrillic: 0,
  cyrillicVowels: 0,
  /** Capital Р and С, as which the first bytes of Cyrillic in UTF-8 appear. */
  cyrillicLeads: 0,
  greek: 0,
  greekVowels: 0,
  han: 0,
  commonHan: 0,
  kana: 0,
  /** Ideographs whose code ends in 00: Latin in UTF-16 with exchanged bytes. */
  swappedHan: 0,
  marks: 0,
  loneMarks: 0,
  /** Words of alphabets with spaces between words. */
  words: 0,
  singles: 0,
  /** Letters in all words, and in words longer than any language has many of. */
  wordLetters: 0,
  endlessLetters: 0,
  /** Words of five Latin letters or more, and those with five consonants or four vowels in a row. */
  longWords: 0,
  unspeakable: 0,
  /** Words of Hebrew and Arabic, and those that begin with a letter that only ends words. */
  rightToLeft: 0,
  beginsWithFinal: 0,
});

const WORD = /[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Hebrew}\p{Script=Arabic}\p{Mn}]+/gu;
const SIGNS = /([^\p{L}\p{M}\p{N}\s])\1*/gu;
const UNREADABLE = /[\p{Co}\p{Cn}\ufffd]|(?!\s)\p{Cc}/gu;
/** A lead byte and a continuation byte of UTF-8 in windows-1252. */
const MISREAD =
  /[ÂÃÄÅÎÏÐÑ×ØÙ][\u0080-\u009f\u00a1-\u00aa\u00ac-\u00b6\u00b8-\u00ba\u00bc-\u00bf€‚ƒ„†‡ˆ‰Š‹ŒŽ•˜™š›œžŸ]|â€|ï¿½|[åæçèé][\u0080-\u009f¡-ª¬-¶¸º¼-¾€‚ƒ„†‡ˆ‰Š‹ŒŽ•˜™š›œžŸ]{2}|锟斤拷/gu;
const ACCENTED = /[À-ÖØ-öø-ÿ]/gu;
const RARE_LATIN = /[bfgjkpqvwxyz]/g;
/** The most frequent ideographs of Chinese and Japanese texts, price lists and manuals. */
const COMMON_HAN = new Set(
  '的一是不了在有人我他這这個个们們中来來上大为為和国國地到以说說時时要就出会會可也你对對生能而子那得于於着下自之年过過发發后後作里用道行所然家种種事成方多经經么去法学學如都同现現当當没動动面起看定天分还還进進好小部其些主样理心本前开開但因只从從想日高月第二三品用号號期' +
    '性力者度日電电機机使注説明書设設置安全部価格円元価型量新入手物業业会社員场場水工合内外名目回場所問题題無无请請必须須保護护修理務务東京市区區民海北南西公車车',
);
const VOWELS = /[aeiouyæœøı]/g;

function count(text: string, to: Counts): void {
  const bare = text.normalize('NFD').toLowerCase();
  to.unreadable += matches(text, UNREADABLE);
  to.misreadPairs += matches(text, MISREAD);
  to.accented += matches(text, ACCENTED);
  to.digits += matches(text, /\p{N}/gu);
  to.letters += matches(text, /\p{L}/gu);
  to.signs += matches(text, SIGNS);
  to.latin += matches(bare, /\p{Script=Latin}/gu);
  to.latinVowels += matches(bare, VOWELS);
  to.rareLatin += matches(bare, RARE_LATIN);
  to.cyrillic += matches(text, /\p{Script=Cyrillic}/gu);
  to.cyrillicVowels += matches(bare, /[аеиоуыэюяієѣўү]/g);
  to.cyrillicLeads += matches(text, /[РС](?=[\u0080-\uffff])/g);
  to.greek += matches(text, /\p{Script=Greek}/gu);
  to.greekVowels += matches(bare, /[αεηιουω]/g);
  to.marks += matches(text, /\p{M}/gu);
  to.loneMarks += matches(text, /(?<![\p{L}\p{M}\p{N}\u25cc\u200c\u200d])\p{M}/gu);
  countIdeographs(text, to);
  for (const [word] of text.matchAll(WORD)) countWord(word, to);
  to.characters = to.letters + to.digits + to.signs + to.marks;
}

const matches = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0;

function countIdeographs(text: string, to: Counts): void {
  if (!/[\u3040-\u30ff\u3400-\u9fff]/.test(text)) return;
  to.kana += matches(text, /[\u3040-\u30ff]/g);
  for (const [letter] of text.matchAll(/[\u3400-\u9fff]/g)) {
    to.han++;
    if (COMMON_HAN.has(letter)) to.commonHan++;
    if ((letter.charCodeAt(0) & 0xff) === 0) to.swappedHan++;
  }
}

const ENDLESS = 28;

function countWord(word: string, to: Counts): void {
  const letters = word.replace(/\p{Mn}/gu, '');
  to.words++;
  to.wordLetters += letters.length;
  if (letters.length === 1) to.singles++;
  if (letters.length > ENDLESS) to.endlessLetters += letters.length;
  if (/[\u0590-\u08ff]/.test(letters)) {
    to.rightToLeft++;
    if (letters.length > 1 && /^[ךםןףץةى]/u.test(letters)) to.beginsWithFinal++;
  } else if (letters.length >= 5 && /^[\u0041-\u024f]+$/.test(letters)) {
    to.longWords++;
    const plain = letters
      .normalize('NFD')
      .replace(/\p{Mn}/gu, '')
      .toLowerCase();
    if (/[^aeiouyæœøı]{5}|[aeiouæœøı]{5}/.test(plain)) to.unspeakable++;
  }
}

type Check = (counts: Counts) => string | undefined;

/** In this order: the first ones name the cause best. */
const CHECKS: Check[] = [
  ({ unreadable, characters }) =>
    unreadable >= MIN.unreadable && unreadable > 0.05 * characters
      ? `UNREADABLE_CHARACTERS: ${percent(unreadable, characters)} of the characters have no meaning: a font has no character map, or bytes were lost. ${REMEDY.font}`
      : undefined,
  ({ misreadPairs, letters }) =>
    misreadPairs >= 5 && misreadPairs > 0.004 * letters
      ? `WRONG_ENCODING: The text contains pairs such as "Ã¼": it was read with the wrong character encoding. ${REMEDY.encoding}`
      : undefined,
  ({ accented, latin, letters, cyrillicLeads, cyrillic, swappedHan, han }) =>
    (latin >= MIN.letters && accented > 0.4 * latin && latin > 0.8 * letters) ||
    (cyrillic >= MIN.letters && cyrillicLeads > 0.25 * cyrillic) ||
    (han >= MIN.letters / 3 && swappedHan > 0.25 * han)
      ? `WRONG_ENCODING: The letters are those of another character encoding. ${REMEDY.encoding}`
      : undefined,
  ({ signs, characters }) =>
    characters >= MIN.characters && signs > 0.55 * characters
      ? `MOSTLY_SIGNS: ${percent(signs, characters)} of the characters are neither letters nor digits: a font has a wrong character map. ${REMEDY.font}`
      : undefined,
  (counts) =>
    hasImplausibleLetters(counts)
      ? `IMPLAUSIBLE_LETTERS: The letters form no words of any language: a font has a wrong character map. ${REMEDY.font}`
      : undefined,
  ({ rightToLeft, beginsWithFinal }) =>
    rightToLeft >= MIN.words && beginsWithFinal > 0.05 * rightToLeft
      ? `REVERSED_LETTERS: Words begin with letters that only end words: the text is stored from left to right. ${REMEDY.order}`
      : undefined,
  ({ marks, loneMarks }) =>
    marks >= MIN.marks && loneMarks > 0.15 * marks
      ? `BROKEN_LETTERS: ${percent(loneMarks, marks)} of the vowel signs and accents stand alone. ${REMEDY.order}`
      : undefined,
  ({ wordLetters, endlessLetters }) =>
    wordLetters >= MIN.letters && endlessLetters > 0.3 * wordLetters
      ? `MISSING_SPACES: ${percent(endlessLetters, wordLetters)} of the letters are in words that run together. ${REMEDY.order}`
      : undefined,
  ({ words, singles, letters, wordLetters }) =>
    words >= MIN.words && singles > 0.7 * words && wordLetters > 0.8 * letters
      ? `SEPARATED_LETTERS: ${percent(singles, words)} of the words are single letters. ${REMEDY.order}`
      : undefined,
];

/** Languages have 30 to 55 % vowels; a wrong map of letters leaves 15 to 25 %, many rare letters, or words without syllables. */
function hasImplausibleLetters(counts: Counts): boolean {
  const { latin, latinVowels, rareLatin, longWords, unspeakable, letters, digits } = counts;
  // Lists of part numbers have no vowels either.
  const isProse = latin >= MIN.letters && latin > 0.5 * letters && digits < 0.25 * latin;
  if (isProse && longWords >= MIN.words / 3 && latinVowels < 0.24 * latin) return true;
  if (isProse && longWords >= MIN.words / 2 && unspeakable > 0.18 * longWords) return true;
  if (isProse && longWords >= MIN.words / 2 && rareLatin > 0.48 * latin) return true;
  const { cyrillic, cyrillicVowels, greek, greekVowels, han, commonHan, kana } = counts;
  if (cyrillic >= MIN.letters && cyrillicVowels < 0.22 * cyrillic) return true;
  if (greek >= MIN.letters && greek > 0.5 * letters && greekVowels < 0.25 * greek) return true;
  return han >= 3 * MIN.letters && kana < 0.05 * han && commonHan < 0.02 * han;
}

const percent = (part: number, whole: number): string => `${Math.round((100 * part) / Math.max(whole, 1))} %`;

function reasonOf(counts: Counts): string | undefined {
  for (const check of CHECKS) {
    const reason = check(counts);
    if (reason !== undefined) return reason;
  }
  return undefined;
}
