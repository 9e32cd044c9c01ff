import { expect, it } from '@jest/globals';
import { editDistance } from './dictionary.js';

const units = (text: string): Uint16Array => Uint16Array.from(text, (letter) => letter.charCodeAt(0));

it.each([
  ['same', 'same', 0],
  ['telephone', 'telepone', 1],
  ['telepone', 'telephone', 1],
  ['recieve', 'receive', 1],
  ['house', 'mouse', 1],
  ['rezervation', 'reservations', 2],
  ['abcd', 'badc', 2],
  ['', 'ab', 2],
])('the edit distance of %s and %s is %d', (a, b, distance) => {
  expect(editDistance(units(a), units(b), 2)).toBe(distance);
});

it('the edit distance is not computed beyond its limit', () => {
  expect(editDistance(units('kitten'), units('mountain'), 2)).toBeGreaterThan(2);
});
