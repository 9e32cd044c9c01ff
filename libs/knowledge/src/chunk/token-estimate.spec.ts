import { describe, expect, it } from '@jest/globals';
import { estimateTokens, reach, weigh } from './token-estimate.js';

describe('the token estimate', () => {
  // What o200k_base counts.
  it.each([
    ['English', 'The Panthers defense gave up just 308 points, ranking sixth in the league.', 16],
    ['Hindi', 'भारत एक विशाल देश है जिसमें कई भाषाएँ बोली जाती हैं।', 13],
    ['Japanese', '日本は東アジアに位置する島国です。首都は東京で、人口が最も多い都市でもあります。', 29],
    ['Spanish', 'España es un país situado en el suroeste de Europa.', 12],
    ['code', 'const x = foo(bar, {baz: 1});', 12],
    ['nothing', '', 0],
  ])('is near the count of %s', (_, text, tokens) => {
    expect(estimateTokens(text)).toBeGreaterThanOrEqual(Math.floor(tokens * 0.75));
    expect(estimateTokens(text)).toBeLessThanOrEqual(Math.ceil(tokens * 1.35));
  });

  it('weighs paragraphs the same alone and together', () => {
    const [one, two] = ['Rooms 12 and 14', '价格是100元。'];
    expect(weigh(`${one}\n\n${two}`)).toBe(weigh(one) + weigh('\n\n') + weigh(two));
  });

  it('finds how far a weight reaches', () => {
    const text = 'one two three four five';
    expect(text.slice(0, reach(text, 0, text.length, weigh('one two ')))).toBe('one two ');
    expect(reach(text, 4, text.length, 1e9)).toBe(text.length);
  });
});
