import { expect, it } from '@jest/globals';
import { refreshTarget } from './meta-refresh.js';

const meta = (content: string): string => `<meta http-equiv="Refresh" content="${content}">`;
const text = 'A page with its own text, which is long enough to be read. '.repeat(5);

it.each<[string, string, string | undefined]>([
  [
    'a page that only refreshes',
    `<html><head>${meta('0; url=/b')}</head><body>Moved</body></html>`,
    'https://a.example/b',
  ],
  ['quotes and no url=', meta("5,'https://b.example/c'"), 'https://b.example/c'],
  ['a page with text', `${meta('0;url=/b')}<p>${text}</p>`, undefined],
  ['a late refresh', meta('300;url=/b'), undefined],
  ['a refresh of the page itself', meta('0;url=/a#top'), undefined],
  ['a refresh without an address', meta('10'), undefined],
  ['a page for browsers without scripts', `<noscript>${meta('0;url=/b')}</noscript>`, undefined],
  ['http after https', meta('0;url=http://a.example/b'), undefined],
  ['another scheme', meta('0;url=javascript:alert(1)'), undefined],
])('the target of a refresh: %s', (_, html, expected) =>
  expect(refreshTarget(html, new URL('https://a.example/a'))?.href).toBe(expected),
);

it('many spaces in a refresh are read in linear time', () =>
  expect(refreshTarget(meta(`0;${' '.repeat(60_000)}`), new URL('https://a.example/a'))).toBeUndefined());
