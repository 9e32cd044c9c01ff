import { expect, it } from '@jest/globals';
import {
  deepWithoutSecureValues,
  deepWithSecureValues,
  secureNamesIn,
  withoutSecureValues,
  withSecureValues,
} from './secure-values.js';

const VALUES = new Map([
  ['card', '4242424242424242'],
  ['pin', '0815'],
  ['key', '7'],
]);

it.each([
  ['{{secure.card}}', '4242424242424242', ['card']],
  ['card {{ secure.card }}, PIN {{secure.pin}}', 'card 4242424242424242, PIN 0815', ['card', 'pin']],
  ['/pay/%7B%7Bsecure.pin%7D%7D?x=1', '/pay/0815?x=1', ['pin']],
  ['{{secure.other}} {{secure.}} {{args.card}} secure.card', undefined, ['other']],
])('a reference in "%s" becomes the digits', (text, sent, names) => {
  expect(withSecureValues(text, VALUES)).toBe(sent ?? text);
  expect(secureNamesIn(text)).toEqual(names);
});

it('texts of arguments are filled in at every depth', () =>
  expect(deepWithSecureValues({ a: ['{{secure.pin}}', 5], b: { c: 'x' } }, VALUES)).toEqual({
    a: ['0815', 5],
    b: { c: 'x' },
  }));

it.each([
  ['card 4242424242424242 charged', 'card {{secure.card}} charged'],
  ['4242 4242-4242 4242', '{{secure.card}}'],
  ['PIN=0815.', 'PIN={{secure.pin}}.'],
  // Longer numbers, and single digits, are other values.
  ['10815', '10815'],
  ['7 of 4242', '7 of 4242'],
])('an answer that repeats digits, "%s", loses them', (text, masked) =>
  expect(withoutSecureValues(text, VALUES)).toBe(masked),
);

it('numbers and names of a JSON answer lose them as well', () =>
  expect(deepWithoutSecureValues({ card: 4242424242424242, list: [{ '0815': true }], n: 7, ok: null }, VALUES)).toEqual(
    { card: '{{secure.card}}', list: [{ '{{secure.pin}}': true }], n: 7, ok: null },
  ));
