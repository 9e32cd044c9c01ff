import { describe, expect, it } from '@jest/globals';
import { hardSplit, sentences } from './split-text.js';
import { TOKEN, weigh } from './text-measures.js';

const sentencesOf = (text: string): string[] =>
  [...sentences(text)].map(({ start, end }) => text.slice(start, end).trim());

describe('the sentence splitter', () => {
  it.each([
    ['English', 'It rained. We stayed in! Why not? Yes.', ['It rained.', 'We stayed in!', 'Why not?', 'Yes.']],
    [
      'titles and initials',
      'Dr. Ann B. Lee met Mr. Smith. They left.',
      ['Dr. Ann B. Lee met Mr. Smith.', 'They left.'],
    ],
    ['decimals and abbreviations', 'It is 3.5 m, e.g. A. Then 2.', ['It is 3.5 m, e.g. A. Then 2.']],
    ['a name with a mark', 'Yahoo! was first. Then others.', ['Yahoo! was first.', 'Then others.']],
    ['quotes', 'He said "Never." She left (at last). Good.', ['He said "Never."', 'She left (at last).', 'Good.']],
    [
      'German ordinals',
      'Am 3. Oktober war es so weit. Alle kamen z. B. Anna.',
      ['Am 3. Oktober war es so weit.', 'Alle kamen z. B. Anna.'],
    ],
    ['Russian', 'Это было в 2003 г. Потом и т.д. и всё. Конец.', ['Это было в 2003 г. Потом и т.д. и всё.', 'Конец.']],
    ['Chinese', '他来了。“好！”她说？是。', ['他来了。', '“好！”', '她说？', '是。']],
    ['Japanese', '雨です。家にいます！', ['雨です。', '家にいます！']],
    ['Arabic', 'من أنت؟ أنا علي. أهلا.', ['من أنت؟', 'أنا علي.', 'أهلا.']],
    ['Urdu', 'یہ گھر ہے۔ وہ باغ ہے۔', ['یہ گھر ہے۔', 'وہ باغ ہے۔']],
    ['Hindi', 'भारत देश है। दिल्ली राजधानी है।', ['भारत देश है।', 'दिल्ली राजधानी है।']],
    ['Thai', 'ประเทศไทย กรุงเทพ ABC ไทย', ['ประเทศไทย', 'กรุงเทพ ABC ไทย']],
    ['a text without a full stop', 'just words', ['just words']],
    ['an empty text', '', []],
  ])('finds the sentences of %s', (_, text, expected) => {
    expect(sentencesOf(text)).toEqual(expected);
  });

  it('covers the whole text', () => {
    const text = '  One.  Two!\n\nThree。四。 ';
    expect([...sentences(text)].map(({ start, end }) => text.slice(start, end)).join('')).toBe(text);
  });

  it('stays within the requested range', () => {
    const text = 'One. Two. Three. Four.';
    expect([...sentences(text, 5, 16)].map(({ start, end }) => text.slice(start, end))).toEqual(['Two. ', 'Three.']);
  });
});

const partsOf = (text: string, tokens: number): string[] =>
  [...hardSplit(text, 0, text.length, tokens * TOKEN)].map(({ start, end }) => text.slice(start, end));

describe('the hard split', () => {
  it.each([
    ['lines', 'aa bb cc dd\nee ff gg hh', 7, ['aa bb cc dd\n', 'ee ff gg hh']],
    ['clauses', 'aa bb cc, dd ee ff gg', 6, ['aa bb cc, ', 'dd ee ff gg']],
    ['words', 'aa bb cc dd ee ff', 4, ['aa bb cc ', 'dd ee ff']],
    ['Chinese clauses', '一二三四，五六七八', 7, ['一二三四，', '五六七八']],
  ])('cuts between %s', (_, text, tokens, parts) => {
    expect(partsOf(text, tokens)).toEqual(parts);
  });

  it('cuts a word that is too long into pieces that fit', () => {
    const parts = partsOf('a'.repeat(100_000), 300);
    expect(parts.join('')).toHaveLength(100_000);
    for (const part of parts) expect(weigh(part)).toBeLessThanOrEqual(300 * TOKEN);
  });

  it.each([
    ['a surrogate pair', '𐍈'],
    ['a letter and its marks', 'e\u0301\u0323'],
    ['a vowel sign', 'कि'],
    ['an emoji with a skin tone', '👍🏽'],
    ['an emoji of several parts', '👨‍👩‍👧‍👦'],
  ])('does not split %s', (_, character) => {
    const parts = partsOf(character.repeat(200), 20);
    expect(parts.length).toBeGreaterThan(1);
    for (const part of parts) expect(part).toBe(character.repeat(part.length / character.length));
  });

  it('cuts a letter with a thousand combining marks', () => {
    const text = `a${'\u0301'.repeat(1_000)}`;
    expect(partsOf(text, 20).join('')).toBe(text);
  });

  it('never splits a surrogate pair, even with the smallest limit', () => {
    for (const part of partsOf('😀'.repeat(50), 1)) expect(part).not.toMatch(/\p{Cs}/u);
  });
});
