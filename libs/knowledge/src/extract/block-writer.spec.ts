import { describe, expect, it } from '@jest/globals';
import { cleanLine, cleanText } from './block-writer.js';

describe('clean text', () => {
  it.each([
    ['NUL and other controls', 'a\0b\u0007c\u009dd', 'abcd'],
    ['soft hyphens and zero-width spaces', 'Donau\u00addampf\u200bschiff', 'Donaudampfschiff'],
    ['spaces that do not break', '1\u00a0000\u202f€', '1 000 €'],
    ['letters in two parts', 'Cafe\u0301', 'Caf\u00e9'],
    ['half a letter', 'a\ud83db😀', 'ab😀'],
    ['line ends', 'a\r\nb\rc\u2028d\u0085e\vf', 'a\nb\nc\nd\ne\nf'],
    ['marks of direction and of byte order', '\ufeff\u202bשלום\u202c', 'שלום'],
    ['joiners of Persian stay', 'می\u200cخواهم', 'می\u200cخواهم'],
    ['tabs stay', 'a\tb', 'a\tb'],
  ])('%s', (_, text, expected) => expect(cleanText(text)).toBe(expected));

  it('is reduced to one line for formats in which white space has no meaning', () => {
    expect(cleanLine('  a\n\t b\u00a0 c ')).toBe('a b c');
  });
});
