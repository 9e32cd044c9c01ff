import { describe, expect, it } from '@jest/globals';
import { sentences } from './hard-split.js';

const partsOf = (text: string): string[] => [...sentences(text)].map(({ start, end }) => text.slice(start, end).trim());

describe('sentences', () => {
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
    ['no end', 'just words', ['just words']],
    ['nothing', '', []],
  ])('are found in %s', (_, text, expected) => {
    expect(partsOf(text)).toEqual(expected);
  });

  it('are together the whole text', () => {
    const text = '  One.  Two!\n\nThree。四。 ';
    expect([...sentences(text)].map(({ start, end }) => text.slice(start, end)).join('')).toBe(text);
  });

  it('keep to the part that is asked for', () => {
    const text = 'One. Two. Three. Four.';
    expect([...sentences(text, 5, 16)].map(({ start, end }) => text.slice(start, end))).toEqual(['Two. ', 'Three.']);
  });
});
