import { describe, expect, it } from '@jest/globals';
import { hardSplit } from './hard-split.js';
import { TOKEN, weigh } from './token-estimate.js';

const partsOf = (text: string, tokens: number): string[] =>
  [...hardSplit(text, 0, text.length, tokens * TOKEN)].map(({ start, end }) => text.slice(start, end));

describe('the hard split', () => {
  it.each([
    ['lines', 'aa bb cc dd\nee ff gg hh', 7, ['aa bb cc dd\n', 'ee ff gg hh']],
    ['clauses', 'aa bb cc, dd ee ff gg', 6, ['aa bb cc, ', 'dd ee ff gg']],
    ['words', 'aa bb cc dd ee ff', 4, ['aa bb cc ', 'dd ee ff']],
    ['Chinese clauses', '一二三四，五六七八', 7, ['一二三四，', '五六七八']],
  ])('goes between %s', (_, text, tokens, parts) => {
    expect(partsOf(text, tokens)).toEqual(parts);
  });

  it('parts a word where it has to, in pieces that fit', () => {
    const parts = partsOf('a'.repeat(100_000), 300);
    expect(parts.join('')).toHaveLength(100_000);
    for (const part of parts) expect(weigh(part)).toBeLessThanOrEqual(300 * TOKEN);
  });

  it.each([
    ['a surrogate pair', '𐍈'],
    ['a letter and its marks', 'e\u0301\u0323'],
    ['a vowel sign', 'कि'],
    ['a skin tone', '👍🏽'],
    ['a family', '👨‍👩‍👧‍👦'],
  ])('does not part %s', (_, character) => {
    const parts = partsOf(character.repeat(200), 20);
    expect(parts.length).toBeGreaterThan(1);
    for (const part of parts) expect(part).toBe(character.repeat(part.length / character.length));
  });

  it('cuts a letter with a thousand marks all the same', () => {
    const text = `a${'\u0301'.repeat(1_000)}`;
    expect(partsOf(text, 20).join('')).toBe(text);
  });

  it('never leaves half of a pair, however little fits', () => {
    for (const part of partsOf('😀'.repeat(50), 1)) expect(part).not.toMatch(/\p{Cs}/u);
  });
});
