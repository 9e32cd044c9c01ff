import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { documentPath, largeOnly } from '../../../../../test/support/test-data.js';
import type { Block } from '../../blocks.js';
import { frontMatterOf, markdownBlocks } from './markdown.js';

/** `h2 Title`, `p text`, `r1 Name=value` of each block. */
const read = (text: string): string[] => [...markdownBlocks(text)].map(spell);
function spell(block: Block): string {
  if (block.kind === 'heading') return `h${block.level} ${block.text}`;
  if (block.kind === 'paragraph') return `p ${block.text}`;
  return `r${block.number} ${block.cells.map((cell, index) => `${block.table.header[index]}=${cell}`).join(' ')}`;
}

describe('Markdown', () => {
  it.each<[string, string, string[]]>([
    ['headings', '# One\n##Not\n### Three ###\n#', ['h1 One', 'p ##Not', 'h3 Three']],
    ['underlined headings', 'One\n===\n\nTwo\n---\nwords', ['h1 One', 'h2 Two', 'p words']],
    ['a rule below a paragraph', 'a\nb\n---\nc', ['p a\nb', 'p c']],
    ['rules', 'a\n\n* * *\n___\nb', ['p a', 'p b']],
    ['lists', '* a\n+ b\n  more\n1) c\n- [x] done', ['p - a', 'p - b\nmore', 'p 1) c', 'p - [x] done']],
    ['code', '```js\n# no heading\n\nx = 1\n```\nafter', ['p # no heading\n\nx = 1', 'p after']],
    ['a fence inside a longer fence', '````\n```\n````\nafter', ['p ```', 'p after']],
    ['code that never ends', '~~~\n# code', ['p # code']],
    [
      'tables',
      'Prices:\n| A | B |\n|--|:-:|\n| 1 \\| 2 | **3** |\n| 4 |\n\nend',
      ['p Prices:', 'r1 A=1 | 2 B=3', 'r2 A=4', 'p end'],
    ],
    ['pipes without a table', 'a | b\nc | d', ['p a | b\nc | d']],
    ['quotations', '> # Quoted\n>> deep\n> > words', ['h1 Quoted', 'p deep\nwords']],
    ['emphasis', '**Hours:** *9* to __5__ ~~6~~ `code`', ['p Hours: 9 to 5 code']],
    [
      'text that only looks like emphasis',
      '2*3*4, snake_case_name, 5 * 6 * 7, __init',
      ['p 2*3*4, snake_case_name, 5 * 6 * 7, __init'],
    ],
    [
      'links and images',
      '[us](https://x.y/z) ![a plan](p.png) <https://a.b>\n\n[us]: https://x.y',
      ['p us a plan https://a.b'],
    ],
    ['tags and comments', 'a<br/>b <!-- c -->\n\n<!-- d\n# e\n-->\nf &amp; g', ['p a\nb', 'p f & g']],
    ['a comment that never ends', '<!-- a\nb', ['p <!-- a\nb']],
    [
      'addresses in angle brackets',
      'Write to Jane <jane@example.com> or see <https://a.example/?q=1>',
      ['p Write to Jane jane@example.com or see https://a.example/?q=1'],
    ],
    [
      'angle brackets that are not HTML',
      'Map<String, Integer>, List<String>, a < b > c, dial <extension> or <code>',
      ['p Map<String, Integer>, List<String>, a < b > c, dial <extension> or <code>'],
    ],
    [
      'code and escapes as they stand',
      '`<b>&amp;*x*</b>` and ``a ` b`` and \\<i> \\*not\\* \\[x\\](y)',
      ['p <b>&amp;*x*</b> and a ` b and <i> *not* [x](y)'],
    ],
    [
      'elements that separate words',
      'one<br>two<p>three</p>four<b>five</b><ul><li>six</li><li>seven</li></ul>',
      ['p one\ntwo\nthree\nfourfive\nsix\nseven'],
    ],
    ['character references', '12 &euro; &#8364; &auml; &copy; &nosuch;', ['p 12 € € ä © &nosuch;']],
    [
      'raised and lowered text',
      '$12<sup>99</sup>, 10<sup>6</sup>, Free<sup>1</sup>, H<sub>2</sub>O',
      ['p $12.99, 10^6, Free[1], H2O'],
    ],
    [
      'struck text',
      '~~20~~ 15 EUR <del>10</del>5 <s>4</s> <span style="text-decoration: line-through">3</span>\n\n<del>\n\n# Old\n\n</del>\nnew',
      ['p 15 EUR 5', 'p new'],
    ],
    [
      'hidden text',
      'a <span hidden>b</span>c <i style="display:none">d</i>\n\n<div hidden>\n\n# e\n\nf\n\n</div>\n\ng<script>h()</script>',
      ['p a c', 'p g'],
    ],
    ['hidden text that does not end', 'a <div hidden> b\n\nc', ['p a\nb', 'p c']],
    [
      'hidden text whose end tag belongs to another element',
      '<div hidden>draft\n\n<div>new</div>\n\n<div hidden>a<div>b</div>c</div>d',
      ['p draft', 'p new', 'p d'],
    ],
    [
      'hidden text beside code with tags',
      'Use `<div hidden>`: <div hidden>no</div>yes\n\n> <i hidden>no</i>one\n> <s>two</s>three',
      ['p Use <div hidden>:\nyes', 'p one\nthree'],
    ],
    [
      'type parameters before other end tags',
      'C++ std::vector<S>.\n\nPrice 5 EUR.\n\n<details><summary>More</summary>\n\nOpen 9 to 5.</details>',
      ['p C++ std::vector<S>.', 'p Price 5 EUR.', 'p More', 'p Open 9 to 5.'],
    ],
    [
      'a type parameter before struck text',
      'A Box<S> here. The price is 5 EUR. See <strong>this</strong>. <s>20</s> 15',
      ['p A Box<S> here. The price is 5 EUR. See this. 15'],
    ],
    [
      'type parameters before links and lists',
      'Matrix<A> and List<U>: <a href="/x">x</a><article>one</article><ul><li>two</ul>',
      ['p Matrix<A> and List<U>: x\none\ntwo'],
    ],
    [
      'addresses of links that are facts',
      '[Email us](mailto:help@example.com?subject=a), [call][1] or <a href="tel:110">this</a>\n\n[1]: tel:+15550100',
      ['p Email us (help@example.com), call (+15550100) or this (110)'],
    ],
    ['links by name', '[one][x] [x] [y][] [^1]\n\n[X]: /x "title"', ['p one x [y][] [^1]']],
    ['signs to dial', 'Dial **61* or *21*0123# or *#06#, 2*3*4', ['p Dial **61* or *21*0123# or *#06#, 2*3*4']],
    ['boxes', '- [ ] open\n- [x] done <input type=checkbox checked>', ['p - [ ] open', 'p - [x] done [x]']],
    ['front matter of TOML', '+++\ntitle = "The Title"\n[a]\nb = 1\n+++\n# H', ['h1 H']],
    ['plus signs at the start', '+++\n\nwords', ['p +++', 'p words']],
    ['front matter', '---\ntitle: "The Title"\ntags: [a]\n---\n# H', ['h1 H']],
    ['a rule at the start', '---\n\nwords', ['p words']],
    ['Windows line ends', '# A\r\n\r\nb\r\nc\r\n', ['h1 A', 'p b\nc']],
    ['a text without content', '\n\n > \n#\n', []],
  ])('is read line by line: %s', (_, text, expected) => expect(read(text)).toEqual(expected));

  it('reports the position of each block in the source', () => {
    const text = '---\ntitle: T\n---\r\n\r\n# H\r\n\r\n- a\r\n\r\n|x|\r\n|-|\r\n|y|\r\n';
    const found = [...markdownBlocks(text)].map(({ offset }) => text.slice(offset, offset + 3));
    expect(found).toEqual(['# H', '- a', '|y|']);
  });

  it('finds the title in the front matter', () => {
    expect(frontMatterOf("---\ntitle: 'It is'\n---\n").title).toBe('It is');
    expect(frontMatterOf('+++\ndraft = false\ntitle = "It is"\n+++\n').title).toBe('It is');
    expect(frontMatterOf('---\nno front matter')).toEqual({ end: 0 });
  });
});

describe('a Markdown file', () => {
  it('with many kinds of blocks is read in order', () => {
    const text =
      '# Crew\n\nSome **bold** and ~~struck~~ text with `code`.\n\n- one\n- two\n\n> a quote\n\n| Port | Pier |\n|:--|--:|\n| Sandey | 3 |\n\nCafé naïve\n';
    expect(read(text)).toEqual([
      'h1 Crew',
      'p Some bold and text with code.',
      'p - one',
      'p - two',
      'p a quote',
      'r1 Port=Sandey Pier=3',
      'p Café naïve',
    ]);
  });

  for (const name of largeOnly('real/testMARKDOWN.md')) {
    it(`${name} is read in order`, () => {
      const text = readFileSync(documentPath(name), 'utf8');
      expect(read(text)).toContain('r1 L=a C=b R=c');
      expect(read(text).slice(0, 2)).toEqual(['h1 Title', 'p Some bold and italic and text with inline code.']);
    });
  }
});
