import { describe, expect, it } from '@jest/globals';
import { scanTerms, scanWords, WORD } from './terms.js';

function wordsOf(text: string): string[] {
  const words: string[] = [];
  scanWords(text, (units, length) => words.push(String.fromCharCode(...units.subarray(0, length))));
  return words;
}

function termsOf(text: string): string[] {
  const terms: string[] = [];
  scanTerms(text, (_low, _high, kind, units, from, to) => {
    const spelling = String.fromCharCode(...units.subarray(from, to));
    terms.push(kind === WORD ? spelling : `${spelling}~`);
  });
  return terms;
}

describe('the word scanner', () => {
  it.each([
    ['plain text', 'Call the front-desk: "Room 12"!', ['call', 'the', 'front', 'desk', 'room', '12']],
    ['accents', 'Crème brûlée, Ångström, naïve', ['creme', 'brulee', 'angstrom', 'naive']],
    ['combining accents', 'cafe\u0301 Å', ['cafe', 'a']],
    ['German', 'Größe, Übergröße, STRAẞE', ['grosse', 'ubergrosse', 'strasse']],
    ['letters that do not decompose', 'Łódź Ørsted Æsir œuvre', ['lodz', 'orsted', 'aesir', 'oeuvre']],
    ['Turkish', 'İstanbul ılık', ['istanbul', 'ilik']],
    ['Russian', 'Ёлка, Майский чай', ['елка', 'майский', 'чай']],
    ['Greek', 'Ὀδυσσεύς ΟΔΥΣΣΕΥΣ', ['οδυσσευσ', 'οδυσσευσ']],
    ['Arabic points, hamza, digits', 'أَحْمَدُ مدرسة ـ ١٢٣', ['احمد', 'مدرسه', '123']],
    ['Persian', 'کتاب ی', ['كتاب', 'ي']],
    ['Hebrew points', 'שָׁלוֹם', ['שלום']],
    ['Hindi vowels stay', 'हिन्दी भाषा', ['हिन्दी', 'भाषा']],
    ['compatibility forms', 'ﬁnance ＡＢＣ １２ ½', ['finance', 'abc', '12', '1', '2']],
    ['digits of other scripts', '१२३ ๔๕', ['123', '45']],
    ['soft hyphens and joiners', 'in\u00advoice می\u200cخواهم', ['invoice', 'ميخواهم']],
    ['numbers with letters', 'AB-1234 v2.0 10.5', ['ab', '1234', 'v2', '0', '10', '5']],
    ['a script change', '東京2020オリンピック', ['東京', '2020', 'オリンピック']],
    ['letters of two units', '𐐀𐐁 𠀀', ['𐐨𐐩', '𠀀']],
    ['nothing to find', ' … — 🙂🙂 ·', []],
  ])('finds words: %s', (_what, text, words) => {
    expect(wordsOf(text)).toEqual(words);
  });

  it('cuts overlong words, but keeps all of a long run without spaces', () => {
    expect(wordsOf(`${'a'.repeat(300)} b`)).toEqual(['a'.repeat(64), 'b']);
    expect(wordsOf('字'.repeat(300)).join('')).toBe('字'.repeat(300));
  });

  it('accepts lone surrogates', () => {
    expect(wordsOf('a\ud800b \udc00 c\ud83d')).toEqual(['a', 'b', 'c']);
  });
});

describe('the term scanner', () => {
  it.each([
    ['words with the first five letters', 'the prices', ['the', 'prices', 'price~']],
    ['Chinese by one and two', '黑豹队', ['黑~', '豹~', '队~', '黑豹~', '豹队~']],
    ['Japanese', 'ホテル', ['ホ~', 'テ~', 'ル~', 'ホテ~', 'テル~']],
    ['Korean', '서울은', ['서~', '울~', '은~', '서울~', '울은~']],
    ['Thai by three', 'ราคา', ['ราค~', 'าคา~']],
    ['a short Thai run as it is', 'ใน', ['ใน~']],
    ['Arabic without the article', 'والمدرسة المدرسة للطفل وقال', ['مدرسه', 'مدرسه~', 'مدرسه', 'مدرسه~', 'طفل', 'قال']],
    ['short Arabic words as they are', 'الا وال ولد', ['الا', 'وال', 'ولد']],
  ])('finds terms: %s', (_what, text, terms) => {
    expect(termsOf(text)).toEqual(terms);
  });

  it.each([
    ['one word', 'BO26232', ['bo26232', 'bo262~', 'bo~', '26232~']],
    ['a hyphen', 'BO-26232', ['bo', '26232', '26232~', 'bo26232']],
    ['another dash', 'BO\u201326232', ['bo', '26232', '26232~', 'bo26232']],
    ['a space', 'bo 26232', ['bo', '26232', '26232~']],
    ['several marks', 'AB/123-4 x', ['ab', '123', '4', 'x', 'ab1234']],
    ['dots', '4.711.2', ['4', '711', '2', '47112']],
    ['letters after digits', '10x20 230V', ['10x20', '10x20~', '10~', 'x~', '20~', '230v', '230~', 'v~']],
    ['a version', 'v2.0', ['v2', 'v~', '2~', '0', 'v20']],
    ['thousands and decimals', '1,299.00 €', ['1', '299', '00', '1299']],
    ['thousands with dots', '1.299,50', ['1', '299', '50', '1299']],
    ['thousands with spaces', '12 345 678 people', ['12', '345', '678', 'people', 'peopl~', '12345678']],
    ['thousands with apostrophes', '1\u2019299.00', ['1', '299', '00', '1299']],
    ['decimals as they are', '99.90 10.5', ['99', '90', '10', '5']],
    ['enumerations as they are', '5, 300, 70 or 12', ['5', '300', '70', 'or', '12']],
    ['words without digits as they are', 'front-desk a/b', ['front', 'front~', 'desk', 'a', 'b']],
    ['a sentence end as it is', 'Room 5. 200 beds', ['room', '5', '200', 'beds']],
  ])('finds numbers with %s: %s', (_what, text, terms) => {
    expect(termsOf(text)).toEqual(terms);
  });

  it('splits no hash into pieces', () => {
    expect(termsOf('a1b2c3d4e5')).toEqual(['a1b2c3d4e5', 'a1b2c~']);
  });

  it('distinguishes a word from a prefix with the same spelling', () => {
    const hashes = new Set<string>();
    scanTerms('phone', (low, high) => hashes.add(`${low}:${high}`));
    expect(hashes.size).toBe(2);
  });
});
