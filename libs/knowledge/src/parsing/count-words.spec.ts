import { describe, expect, it } from '@jest/globals';
import { countWords } from './count-words.js';

describe('counting words', () => {
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
  ])('%j has %i', (text, words) => expect(countWords(text)).toBe(words));

  it('takes a time in proportion to the length, whatever the text', () => {
    for (const letter of ['[', 'a', ' ', '黑']) countWords(letter.repeat(5_000_000));
    expect(countWords('a'.repeat(5_000_000))).toBe(1);
  });
});
