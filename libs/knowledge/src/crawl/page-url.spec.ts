import { describe, expect, it } from '@jest/globals';
import { isSamePage, leadsToPage, pageUrl, UrlFilter } from './page-url.js';
import { growsLinearly } from '../../../../test/support/growth.js';

const BASE = 'https://example.com/docs/start';

describe('the address of a link', () => {
  it.each([
    ['intro#part', 'https://example.com/docs/intro'],
    ['/a?utm_source=x&b=1&gclid=2', 'https://example.com/a?b=1'],
    ['/a?utm_medium=x', 'https://example.com/a'],
    ['/a;jsessionid=12?b', 'https://example.com/a?b'],
    ['HTTPS://EXAMPLE.com:443//a//b', 'https://example.com/a/b'],
    ['/a?b=%7e+c', 'https://example.com/a?b=%7e+c'],
    ['mailto:a@example.com', undefined],
    ['javascript:void(0)', undefined],
    ['https://user@example.com/', undefined],
    ['http://exa mple/', undefined],
    [`/${'a'.repeat(3_000)}`, undefined],
  ])('%s is normalised to %s', (link, url) => expect(pageUrl(link, BASE)?.href).toBe(url));

  it.each([
    ['/a', '/a/', true],
    ['/', '/index.html', true],
    ['/a?b=1', '/a', false],
    ['/a', '/A', false],
  ])('%s and %s are the same page: %s', (one, other, same) =>
    expect(isSamePage(new URL(one, BASE), new URL(other, BASE))).toBe(same),
  );

  it.each([
    ['/manual.pdf', true],
    ['/a.b/c', true],
    ['/logo.PNG', false],
    ['/feed.xml', false],
  ])('%s may lead to a text: %s', (path, may) => expect(leadsToPage(new URL(path, BASE))).toBe(may));
});

describe('the patterns of a crawl', () => {
  it.each<[string[], string[], string, boolean]>([
    [[], [], '/a', true],
    [['/docs'], [], '/docs', true],
    [['/docs'], [], '/docs/a/b?c', true],
    [['/docs'], [], '/docsearch', false],
    [['/docs/'], [], '/docs', true],
    [['/docs/*'], [], '/docs/a', true],
    [['/docs/*'], [], '/docs/a/b', false],
    [['/docs/**'], [], '/docs/a/b', true],
    [['/docs/**'], [], '/docs', true],
    [['/**/old/*'], [], '/old/x', true],
    [['**/*.html'], [], '/a/b.html', true],
    [['/a.b*'], [], '/aXb', false],
    [['/list?page=*'], [], '/list?page=2', true],
    [['https://example.com/docs/**'], [], '/docs/a', true],
    [['https://other.example/**'], [], '/docs/a', false],
    [['/docs/**'], ['/docs/old'], '/docs/old/a', false],
    [['/docs/**'], ['/docs/old'], '/docs/older', true],
  ])('%j without %j allow %s: %s', (include, exclude, path, allowed) =>
    expect(new UrlFilter({ include, exclude }).allows(new URL(path, BASE))).toBe(allowed),
  );

  it('are matched in linear time', async () => {
    const filter = new UrlFilter({ include: [`/${'*a'.repeat(90)}`] });
    const allows = (length: number): boolean => filter.allows(new URL(`/${'a'.repeat(length)}b`, BASE));
    expect(allows(2_000)).toBe(false);
    expect(await growsLinearly(allows, 2_000)).toBe(true);
  });
});
