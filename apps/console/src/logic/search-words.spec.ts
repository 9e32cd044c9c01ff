import { expect, it } from '@jest/globals';
import { splitAtWords } from './search-words.js';

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
