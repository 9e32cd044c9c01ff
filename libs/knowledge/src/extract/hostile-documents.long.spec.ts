import { describe, expect, it } from '@jest/globals';
import { extractBytes } from '../../../../test/support/extracted.js';
import { extractHtml } from './html/html.js';
import { markdownBlocks } from './text/markdown.js';

/** Time that grows with the square of the length would be hours. */
const SLOW_MS = 30_000;

describe('a hostile web page', () => {
  const text = 'text '.repeat(50);

  it.each([
    ['deep', '<div>'.repeat(300_000) + text],
    ['deep inline', '<b>'.repeat(300_000) + text],
    ['of one tag', `<a ${'b=c '.repeat(500_000)}>${text}</a>`],
    ['of one tag with many names', `<a ${Array.from({ length: 100_000 }, (_, n) => `b${n}=c`).join(' ')}>${text}</a>`],
    ['of tags that never end', `${text}${'<a '.repeat(500_000)}`],
    ['of scripts that never end', `${text}${'<script '.repeat(200_000)}`],
    ['of comments that never end', `${text}${'<!-- '.repeat(200_000)}`],
    ['of styles that never end', `${text}${'<style>'.repeat(200_000)}`],
    ['of ampersands', `${text}${'&'.repeat(1_000_000)}`],
    ['of less-than signs', `${text}${' <'.repeat(200_000)}`],
    ['flat', `<p>${text}</p>`.repeat(20_000)],
    ['of readings', `<p>${text}</p><ruby>${'字<rt>じ</rt>'.repeat(8_000)}</ruby>`],
    ['of a raised text with many children', `<p>${text}</p><sup>${'<b>1</b>'.repeat(150_000)}</sup>`],
    [
      'of a slot with many children',
      `<p>${text}</p><a-b><template shadowrootmode="open"><slot></slot></template>${'<b>1</b>'.repeat(150_000)}</a-b>`,
    ],
    ['of details with many children', `<details><summary>${text}</summary>${'<b>1</b>'.repeat(150_000)}</details>`],
    ['of raised numbers in a link', `<p>${text}</p><a href="#a">${'<b></b><sup>1</sup>'.repeat(10_000)}</a>`],
    ['of nested tables', `${'<table><tr><td>'.repeat(60)}${text}`],
  ])('%s is read in linear time', async (_, html) => {
    const startedAt = performance.now();
    const lines = (await extractBytes(extractHtml, html)).lines;
    expect(lines.join(' ')).toContain('text');
    expect(performance.now() - startedAt).toBeLessThan(SLOW_MS);
  });
});

describe('hostile Markdown', () => {
  it.each([
    ['quotation marks', '>'.repeat(1_000_000)],
    ['brackets', '['.repeat(1_000_000)],
    ['emphasis', '*a_'.repeat(400_000)],
    ['links that never end', '[a]('.repeat(300_000)],
    ['comments that never end', '<!--\n'.repeat(200_000)],
    ['tags that never end', '<a '.repeat(400_000)],
    ['images', '![a'.repeat(300_000)],
    ['tags', '<b>'.repeat(300_000) + '</b>'.repeat(300_000)],
    ['sections of code', '<![CDATA['.repeat(100_000)],
    ['custom elements', Array.from({ length: 100_000 }, (_, n) => `<x-${n}>`).join('')],
    ['hidden elements that never end', '<div hidden>\n\n'.repeat(100_000) + '</div>'],
    ['struck text that ends once', `${'<del>'.repeat(200_000)}</del>`],
    ['ticks', '`'.repeat(1_000_000)],
    ['deep lists', Array.from({ length: 2_000 }, (_, n) => `${' '.repeat(n)}- x`).join('\n')],
    ['rules', '- '.repeat(500_000)],
    ['pipes', `${'|'.repeat(500_000)}\n${'|-'.repeat(250_000)}`],
    ['escaped pipes', `a|b\n-|-\n${'\\|'.repeat(500_000)}`],
    ['anchors', `# ${' {#a'.repeat(300_000)}`],
    ['spaces', `# ${' '.repeat(1_000_000)}x\na${' '.repeat(1_000_000)}b`],
  ])('with %s is read in linear time', (_, text) => {
    const startedAt = performance.now();
    expect(() => [...markdownBlocks(text)]).not.toThrow();
    expect(performance.now() - startedAt).toBeLessThan(SLOW_MS);
  });
});
