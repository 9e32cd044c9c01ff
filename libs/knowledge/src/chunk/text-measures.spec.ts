import { describe, expect, it } from '@jest/globals';
import { countWords, estimateTokens, reach, weigh } from './text-measures.js';

describe('the token estimate', () => {
  // The counts of o200k_base.
  it.each([
    ['English', 'The Panthers defense gave up just 308 points, ranking sixth in the league.', 16],
    ['Hindi', 'भारत एक विशाल देश है जिसमें कई भाषाएँ बोली जाती हैं।', 13],
    ['Japanese', '日本は東アジアに位置する島国です。首都は東京で、人口が最も多い都市でもあります。', 29],
    ['Spanish', 'España es un país situado en el suroeste de Europa.', 12],
    ['code', 'const x = foo(bar, {baz: 1});', 12],
    ['an empty text', '', 0],
  ])('is close to the real count for %s', (_, text, tokens) => {
    expect(estimateTokens(text)).toBeGreaterThanOrEqual(Math.floor(tokens * 0.75));
    expect(estimateTokens(text)).toBeLessThanOrEqual(Math.ceil(tokens * 1.35));
  });

  it('is additive: paragraphs weigh the same alone and together', () => {
    const [one, two] = ['Rooms 12 and 14', '价格是100元。'];
    expect(weigh(`${one}\n\n${two}`)).toBe(weigh(one) + weigh('\n\n') + weigh(two));
  });

  it('finds the position at which a weight is exceeded', () => {
    const text = 'one two three four five';
    expect(text.slice(0, reach(text, 0, text.length, weigh('one two ')))).toBe('one two ');
    expect(reach(text, 4, text.length, 1e9)).toBe(text.length);
  });
});

describe('the word count', () => {
  it.each([
    ['', 0],
    ['one', 1],
    ['  two   words \n', 2],
    ["don't well-known 3.14 e-mail@example.org", 4],
    ['- a list – with dashes …', 4],
    ['हिन्दी में एक वाक्य।', 4],
    ['هذه جملة عربية', 3],
    ['黑豹队的防守', 6],
    ['第 49 届 NFL 超级碗', 7],
    ['ab黑cd', 3],
    ['𠀀𠀁 𝒜bc', 3],
    ['😀 😀', 0],
  ])('of %j is %i', (text, words) => expect(countWords(text)).toBe(words));

  it('takes linear time for any text', () => {
    for (const letter of ['[', 'a', ' ', '黑']) countWords(letter.repeat(5_000_000));
    expect(countWords('a'.repeat(5_000_000))).toBe(1);
  });
});
