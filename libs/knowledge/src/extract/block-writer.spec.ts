import { describe, expect, it } from '@jest/globals';
import { cleanLine, cleanText } from './block-writer.js';

describe('the cleaning of text', () => {
  it.each([
    ['removes NUL and other control characters', 'a\0b\u0007c\u009dd', 'abcd'],
    ['removes soft hyphens and zero-width spaces', 'Donau\u00addampf\u200bschiff', 'Donaudampfschiff'],
    ['replaces non-breaking spaces', '1\u00a0000\u202f€', '1 000 €'],
    ['composes decomposed letters', 'Cafe\u0301', 'Caf\u00e9'],
    ['removes lone surrogates', 'a\ud83db😀', 'ab😀'],
    ['unifies line ends', 'a\r\nb\rc\u2028d\u0085e\vf', 'a\nb\nc\nd\ne\nf'],
    ['removes direction marks and byte order marks', '\ufeff\u202bשלום\u202c', 'שלום'],
    ['keeps joiners in Persian', 'می\u200cخواهم', 'می\u200cخواهم'],
    ['keeps tabs', 'a\tb', 'a\tb'],
  ])('%s', (_, text, expected) => expect(cleanText(text)).toBe(expected));

  it('reduces text to one line for formats in which white space has no meaning', () => {
    expect(cleanLine('  a\n\t b\u00a0 c ')).toBe('a b c');
  });
});
