import { expect, it } from '@jest/globals';
import { sameOrigin } from './url-rules.js';

it.each([
  ['https://a.example/hook', 'https://a.example/other?x=1', true],
  ['https://a.example/hook', 'https://A.EXAMPLE:443/hook', true],
  ['https://a.example/hook', 'http://a.example/hook', false],
  ['https://a.example/hook', 'https://a.example:8443/hook', false],
  ['https://a.example/hook', 'https://b.example/hook', false],
  ['https://a.example/hook', 'https://a.example./hook', false],
  ['https://a.example/hook', 'https://a.example.b.example/hook', false],
  ['https://a.example/hook', 'https://a.example@b.example/hook', false],
  ['no url', 'no url', false],
])('%s and %s have the same origin: %s', (one, other, expected) => {
  expect(sameOrigin(one, other)).toBe(expected);
  expect(sameOrigin(other, one)).toBe(expected);
});
