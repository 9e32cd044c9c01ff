import { describe, expect, it } from '@jest/globals';
import iconv from 'iconv-lite';
import { extractBytes, extractFile } from '../../../../../test/support/extracted.js';
import { documentPath, largeOnly } from '../../../../../test/support/test-data.js';
import { extractHtml } from './html.js';

const read = async (html: string | Buffer, charset?: string): Promise<string[]> =>
  (await extractBytes(extractHtml, html, { charset })).lines;

const sentence = 'The library opens at eight in the morning and closes late in the evening, except on holidays. ';
const nav = `<nav><ul>${'<li><a href="/x">Menu entry</a></li>'.repeat(8)}</ul></nav>`;
const footer = '<footer><p>Copyright, imprint, privacy</p></footer>';

describe('a web page', () => {
  it('is reduced to its article, without menu and footer', async () => {
    const html = `<!doctype html><html><head><title>Opening hours - City</title><style>p{}</style></head><body>${nav}
      <main><article><h1>Opening hours</h1><p>${sentence.repeat(3)}</p><h2>Groups</h2><p>${sentence.repeat(2)}</p>
      <ul><li>Bring a card</li><li>Be <b>quiet</b></li></ul>
      <table><tr><th>Day</th><th>Hours</th></tr><tr><td>Mon</td><td>8<br>to 20</td></tr></table>
      <pre>a  b
  c</pre></article></main>${footer}<script>track()</script></body></html>`;
    const { lines, facts } = await extractBytes(extractHtml, html);
    expect(lines).toEqual([
      'h1 Opening hours',
      `p ${sentence.repeat(3).trim()}`,
      'h2 Groups',
      `p ${sentence.repeat(2).trim()}`,
      'p - Bring a card',
      'p - Be quiet',
      'r1 Day=Mon; Hours=8 to 20',
      'p a  b\n  c',
    ]);
    expect(facts).toEqual({ charset: 'utf-8', title: 'Opening hours - City' });
  });

  it('with a table layout is read without the menu in its first cell', async () => {
    const menu = `<ul>${'<li><a href="/x">entry</a></li>'.repeat(9)}</ul>`;
    const body = `<table><tr><td>${menu}</td><td><h1>Hours</h1><p>${sentence.repeat(4)}</p></td></tr></table>`;
    expect(await read(`<html><body>${body}</body></html>`)).toEqual(['h1 Hours', `p ${sentence.repeat(4).trim()}`]);
  });

  it('is read completely if the article is a small part of it', async () => {
    const list = Array.from(
      { length: 60 },
      (_, n) => `<div><a href="/${n}">Product number ${n}, price on request</a></div>`,
    ).join('');
    const lines = await read(`<html><body><p>${sentence.repeat(4)}</p>${list}</body></html>`);
    expect(lines).toContain('p Product number 59, price on request');
  });

  it.each<[string, string, string[]]>([
    ['a fragment', '<p>Hello <i>there</i></p>World', ['p Hello there', 'p World']],
    [
      'raised and lowered numbers',
      '<p>$12<sup>99</sup> or 12<span style="vertical-align:super">99</span> €</p><p>10<sup>6</sup> H<sub>2</sub>O, Free<sup><a href="#n1">1</a></sup>, 2024<a href="#n2"><sup>2</sup></a></p>',
      ['p $12.99 or 12.99 €', 'p 10^6 H2O, Free[1], 2024[2]'],
    ],
    [
      'raised numbers in links',
      '<p><a href="#order">$12<sup>99</sup></a>, <a href="/rooms#r1">Room, 30 m<sup>2</sup></a>, <a href="/x#y">10<sup>6</sup> users</a>, $5<a href="#n1"> <sup>1</sup></a></p>',
      ['p $12.99, Room, 30 m², 10^6 users, $5 [1]'],
    ],
    ['raised fractions and terms', '<p>1<sup>1/2</sup> hours, 10<sup>n</sup></p>', ['p 1 1/2 hours, 10^n']],
    [
      'struck text',
      '<h1>Offer <s>ended</s></h1><p><del>20</del> 15 EUR, <strike>9</strike> 8, <span style="text-decoration:line-through red">7</span> 6</p><ul><li><s>gone</s></li></ul><table><tr><th>Old</th><th>New</th></tr><tr><td><del>5</del></td><td>4</td></tr></table>',
      ['h1 Offer', 'p 15 EUR, 8, 6', 'r1 Old=; New=4'],
    ],
    ['text that Word hides', '<p>seen<span style="mso-hide:all">no</span></p>', ['p seen']],
    [
      'contacts in links',
      '<p><a href="mailto:help@example.com?subject=x">Email us</a> or <a href="tel:+1-555-0100">call</a></p><p><a href="tel:+15550100"><img src="p.png" alt=""></a></p>',
      ['p Email us (help@example.com) or call (+1-555-0100)', 'p +15550100'],
    ],
    [
      'protected mail addresses',
      '<p>Write to <a href="/cdn-cgi/l/email-protection" class="__cf_email__" data-cfemail="422a272e3202273a232f322e276c212d2f">[email&#160;protected]</a> or <a href="/cdn-cgi/l/email-protection#422a272e3202273a232f322e276c212d2f">us</a></p><p><a href="/cdn-cgi/l/email-protection#422a272e3202273a232f322e276c212d2f">Mail</a></p>',
      ['p Write to help@example.com or us', 'p Mail (help@example.com)'],
    ],
    [
      'a declarative shadow root',
      '<my-card><template shadowrootmode="open"><style>p{}</style><h2><slot name="title">No title</slot></h2><p>Before</p><slot></slot><template><p>no</p></template><p><slot name="note">No note</slot></p></template><p>Light</p><b slot="title">Price</b><i slot="gone">no</i></my-card>',
      ['h2 Price', 'p Before', 'p Light', 'p No note'],
    ],
    [
      'the states of boxes',
      '<ul><li><input type="checkbox" checked disabled> Breakfast</li><li><label><input type="checkbox"> Dinner</label></li></ul><p role="radio" aria-checked="true">Card</p><div><input type="checkbox" id="menu"></div>',
      ['p - [x] Breakfast', 'p - [ ] Dinner', 'p [x] Card'],
    ],
    [
      'readings of signs',
      '<p><ruby>東京<rt>とうきょう</rt></ruby> <ruby>漢<rp>(</rp><rt>かん</rt><rp>)</rp></ruby></p>',
      ['p 東京(とうきょう) 漢(かん)'],
    ],
    ['entities', '<p>a&nbsp;&amp;&nbsp;b &lt;c&gt; &eacute;&#8364;</p>', ['p a & b <c> é€']],
    ['hidden parts', '<p>seen</p><p hidden>no</p><div aria-hidden="true">no</div><noscript>no</noscript>', ['p seen']],
    [
      'merged cells, whose text is repeated',
      '<table><thead><tr><th rowspan="2">Day</th><th colspan="2">Hours</th></tr><tr><th>Hall</th><th>Pool</th></tr></thead><tr><td rowspan="2">Mon</td><td>8</td><td>9</td></tr><tr><td colspan="2">10</td></tr></table>',
      ['r1 Day=Mon; Hours Hall=8; Hours Pool=9', 'r2 Day=Mon; Hours Hall=10; Hours Pool=10'],
    ],
    [
      'names of rows but not of columns',
      '<table><tr><th>Mon</th><td>8 to 20</td></tr><tr><th>Sun</th><td>closed</td></tr></table>',
      ['r1 =Mon; =8 to 20', 'r2 =Sun; =closed'],
    ],
    ['a layout table', '<table><tr><td><p>left</p></td><td>right</td></tr></table>', ['p left', 'p right']],
    [
      'tables inside a table',
      '<table><tr><td><table><tr><td>a</td><td>b</td></tr><tr><td>1</td><td>2</td></tr></table></td><td>x</td></tr><tr><td>y</td></tr></table>',
      ['r1 a=1; b=2', 'p x', 'p y'],
    ],
    ['unclosed elements', '<p>one<p>two<li>three', ['p one', 'p two', 'p - three']],
    ['scripts that never end', '<p>text</p><script>var a = 1', ['p text']],
  ])('is read with %s', async (_, html, expected) => expect(await read(html)).toEqual(expected));

  it.each<[string, string, string[]]>([
    ['from one', '<ol><li>Open</li><li>Close</li></ol>', ['p 1. Open', 'p 2. Close']],
    ['from a start', '<ol start=4><li>Open<li>Close</ol>', ['p 4. Open', 'p 5. Close']],
    ['backwards', '<ol reversed><li>Open</li><li>Close</li></ol>', ['p 2. Open', 'p 1. Close']],
    [
      'with values',
      '<ol><li>Open</li><li value=7>Turn</li><li>Close</li></ol>',
      ['p 1. Open', 'p 7. Turn', 'p 8. Close'],
    ],
    ['with letters', '<ol type=a start=26><li>Open</li><li>Close</li></ol>', ['p z. Open', 'p aa. Close']],
    ['with Roman numbers', '<ol type=I start=4><li>Open</li><li>Close</li></ol>', ['p IV. Open', 'p V. Close']],
    ['in a style', '<ol style="list-style-type: upper-alpha"><li>Open</li></ol>', ['p A. Open']],
    [
      'in a list',
      '<ol><li>Open<ol type=a><li>left</li></ol></li><li>Close</li></ol>',
      ['p 1. Open', 'p a. left', 'p 2. Close'],
    ],
    ['beside the number of a list around', '<ol start=3><li><ol type=a><li>left</li></ol></li></ol>', ['p 3. a. left']],
    ['before a heading', '<ol><li><h3>Open</h3><p>Turn the key.</p></li></ol>', ['h3 1. Open', 'p Turn the key.']],
    ['that the author typed, too', '<ol><li>1. Open</li><li>2) Close</li></ol>', ['p 1. Open', 'p 2) Close']],
    ['that a style removes', '<ol style="list-style:none"><li>Open</li></ol>', ['p - Open']],
    ['of bullets in them', '<ol><li>Open<ul><li>left</li></ul></li></ol>', ['p 1. Open', 'p - left']],
  ])('keeps the numbers of a list %s', async (_, list, expected) => {
    expect(await read(list)).toEqual(expected);
    const article = await read(
      `<html><body>${nav}<main><h1>Doors</h1><p>${sentence.repeat(9)}</p>${list}</main></body></html>`,
    );
    expect(article.slice(2)).toEqual(expected);
  });

  it.each([
    ['a long menu', nav.repeat(12)],
    ['long comments', `<div class="comments">${`<div class="comment"><p>${sentence}</p></div>`.repeat(40)}</div>`],
    [
      'many related links',
      `<div class="related">${'<div><a href="/x">Another report about the harbour</a></div>'.repeat(60)}</div>`,
    ],
  ])('is reduced to an article of 1,000 characters beside %s', async (_, rest) => {
    const html = `<html><body><header><a href="/">City</a></header><div class="post"><h1>Opening hours</h1><p>${sentence.repeat(6)}</p><p>${sentence.repeat(6)}</p></div>${rest}</body></html>`;
    expect(await read(html)).toEqual([
      'h1 Opening hours',
      `p ${sentence.repeat(6).trim()}`,
      `p ${sentence.repeat(6).trim()}`,
    ]);
  });

  it('is reduced to a short article beside a short menu', async () => {
    const html = `<html><body>${nav}<article><h1>Opening hours</h1><p>${sentence.repeat(2)}</p></article></body></html>`;
    expect(await read(html)).toEqual(['h1 Opening hours', `p ${sentence.repeat(2).trim()}`]);
  });

  it('of several parts is read completely, without its menus', async () => {
    const parts = Array.from(
      { length: 6 },
      (_, n) =>
        `<section class="block-${n}"><div class="row"><h2>Service ${n}</h2><div>${sentence}</div><a class="btn">Order</a></div></section>`,
    );
    const teaser = `<section class="text-content"><p>${sentence.repeat(6)}</p><p>${sentence.repeat(6)}</p></section>`;
    const lines = await read(`<html><body><header>${nav}</header>${teaser}${parts.join('')}</body></html>`);
    expect(lines.filter((line) => line.startsWith('h2 Service'))).toHaveLength(6);
    expect(lines.join('\n')).not.toContain('Menu entry');
  });

  it.each([
    ['the Content-Type', '<p>größe €</p>', 'windows-1252', 'windows-1252'],
    ['its meta element', '<meta charset="windows-1251"><p>Привет</p>', 'windows-1251', undefined],
    [
      'the older meta element',
      '<meta http-equiv="Content-Type" content="text/html; charset=shift_jis"><p>図書館</p>',
      'shift_jis',
      undefined,
    ],
    [
      'letter statistics',
      `<p>${'Однажды, в студеную зимнюю пору, я из лесу вышел. '.repeat(3)}</p>`,
      'koi8-r',
      undefined,
    ],
  ])('is decoded by %s', async (_, html, charset, declared) => {
    const expected = html.replace(/<[^>]*>/g, '').trim();
    expect(await read(iconv.encode(html, charset), declared)).toEqual([`p ${expected}`]);
  });
});

describe('a web page without text', () => {
  it.each([
    ['an empty page', '<html><body> <img src=x></body></html>', 'EMPTY'],
    ['an application', '<html><body><div id=root></div><script src=a></script></body></html>', 'PAGE_NEEDS_JAVASCRIPT'],
    [
      'an application that requires JavaScript',
      '<body><div>Loading…</div><script></script><script></script><script src=x></script></body>',
      'PAGE_NEEDS_JAVASCRIPT',
    ],
  ])('fails with its code: %s', async (_, html, code) => await expect(read(html)).rejects.toMatchObject({ code }));

  it('is not confused with a short page with a counter script', async () => {
    expect(await read('<p>Closed today.</p><script>count()</script>')).toEqual(['p Closed today.']);
  });
});

describe('a web page in Unicode', () => {
  it.each<[string, BufferEncoding]>([
    ['utf-16le', 'utf16le'],
    ['utf-8', 'utf8'],
  ])('is decoded as %s', async (charset, encoding) => {
    const page = `<html><head><meta charset="${charset}"><title>Fähre</title></head><body><p>Überfahrt nach Sandøy</p></body></html>`;
    const { facts, lines } = await extractBytes(extractHtml, Buffer.from(page, encoding));
    expect(facts).toEqual({ charset, title: 'Fähre' });
    expect(lines).toEqual(['p Überfahrt nach Sandøy']);
  });

  for (const [name, charset, line] of largeOnly<[string, string, string]>(
    ['real/testHTML_charset_utf16le.html', 'utf-16le', 'p This is a sample text'],
    ['real/testHTML_utf8.html', 'utf-8', 'p åäö'],
  )) {
    it(`${name} is read`, async () => {
      const { facts, lines } = await extractFile(extractHtml, documentPath(name));
      expect(facts.charset).toBe(charset);
      expect(lines).toContain(line);
    });
  }
});
