import { describe, expect, it } from '@jest/globals';
import { type CrawledPage, pageHead } from './page-links.js';
import { growsLinearly } from '../../../../../test/support/growth.js';

const read = (html: string, page: Partial<CrawledPage> = {}) =>
  pageHead(html, { url: 'https://example.com/a/b', ...page });
const LINKS =
  '<a href="/c">C</a><a href="d#x" rel="external nofollow">D</a><A HREF=e>E</A><a href="c:\\x">no</a><a>no</a>';

describe('the head of a page', () => {
  it('has the title, the canonical address and the links, each once', () => {
    const html = `<html><head><title> Returns &amp;\n more </title><link rel="Canonical" href="/r"></head><body>
      <svg><title>Icon</title></svg>${LINKS}<a href="/c#y">C</a><area href="/map"></body>`;
    expect(read(html)).toEqual({
      title: 'Returns & more',
      canonical: 'https://example.com/r',
      links: ['https://example.com/c', 'https://example.com/a/e', 'https://example.com/map'],
      noindex: false,
    });
  });

  it('resolves links by the base element', () => {
    expect(read(`<base href="https://cdn.example/x/">${LINKS}`).links).toContain('https://cdn.example/x/e');
  });

  it.each<[string, Partial<CrawledPage>, number, boolean]>([
    ['<meta name="robots" content="noindex">', {}, 2, true],
    ['<META NAME=ROBOTS CONTENT="NoIndex, NoFollow">', {}, 0, true],
    ['<meta name="robots" content="none">', {}, 0, true],
    ['<meta name="otherbot" content="noindex">', {}, 2, false],
    ['', { robotsTag: 'noindex, nofollow' }, 0, true],
    ['', { robotsTag: 'otherbot: noindex' }, 2, false],
    ['', { robotsTag: 'trunkline: nofollow' }, 0, false],
    ['<meta name="robots" content="none">', { ignoresRobots: true }, 3, false],
  ])('follows the rules %s %j: %d links, noindex %s', (head, page, links, noindex) => {
    const found = read(head + LINKS, page);
    expect([found.links.length, found.noindex]).toEqual([links, noindex]);
  });

  it('is read in linear time from unclosed elements', async () => {
    const readMany = (count: number) => read('<a href=x><title><div '.repeat(count));
    expect(readMany(100_000).links.length).toBeLessThan(3);
    expect(await growsLinearly(readMany, 100_000)).toBe(true);
  });
});
