import { describe, expect, it } from '@jest/globals';
import { bytes, clock, dollars, plural, span, splitAtWords, wordless, words } from './format.js';

describe('what people read', () => {
  it.each([
    [0, '0:00'],
    [65.9, '1:05'],
    [43_209, '12:00:09'],
    [-3, '0:00'],
  ])('%s seconds on a clock: %s', (seconds, text) => expect(clock(seconds)).toBe(text));

  it.each([
    [420, '420 ms'],
    [1_400, '1.4 s'],
    [2_000, '2 s'],
    [125_000, '2:05 min'],
  ])('%s ms: %s', (ms, text) => expect(span(ms)).toBe(text));

  it.each([
    [0, '$0.00'],
    [0.008657, '$0.0087'],
    [0.0000312, '$0.00003'],
    [1.2, '$1.20'],
  ])('%s dollars: %s', (amount, text) => expect(dollars(amount)).toBe(text));

  it.each([
    [12, '12 B'],
    [9_500, '9.5 kB'],
    [250_000, '250 kB'],
    [10_485_760, '10.5 MB'],
    [53_687_091_200, '53.7 GB'],
  ])('%s bytes: %s', (count, text) => expect(bytes(count)).toBe(text));

  it.each([
    ['no_answer', 'No answer'],
    ['in-progress', 'In progress'],
  ])('%s: %s', (code, text) => expect(words(code)).toBe(text));

  it.each([
    [1, '1 call'],
    [0, '0 calls'],
    [12_000, '12,000 calls'],
  ])('%s: %s', (count, text) => expect(plural(count, 'call')).toBe(text));

  it('recognises speech without a transcription', () => {
    expect(wordless('[speech 1.4 s]')).toBe('1.4 s');
    expect(wordless('He said [speech 1.4 s]')).toBeUndefined();
  });
});
it.each([
  ['The parcel takes two days.', 'how long does a parcel take', ['parcel', 'takes']],
  ['Parking: you can cancel it.', 'where can I park', ['Parking', 'can']],
  ['A carpet in the car park.', 'car', ['car']],
  ['Cancellation of a scandal', 'can', []],
  ['Die Frühstücke, das Frühstück', 'frühstück', ['Frühstücke', 'Frühstück']],
  ['Room 4711 and 47110', '4711', ['4711']],
  ['Anything', '? ! a', []],
])('marks whole words: "%s" searched for "%s"', (text, query, marks) => {
  const parts = splitAtWords(text, query);
  expect(parts.join('')).toBe(text);
  expect(parts.filter((_, index) => index % 2 === 1)).toEqual(marks);
});
