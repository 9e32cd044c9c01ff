import { describe, expect, it } from '@jest/globals';
import { SentenceSplitter } from './sentence-splitter.js';
import { growsLinearly } from '../../../../../../test/support/growth.js';

/** The parts of a text that arrives in pieces of one length. */
function split(text: string, length: number): string[] {
  const splitter = new SentenceSplitter();
  const parts: string[] = [];
  for (let at = 0; at < text.length; at += length) parts.push(...splitter.push(text.slice(at, at + length)));
  return [...parts, ...splitter.end()];
}

const TEXTS: [string, string, string[]][] = [
  ['sentences', 'Hello there. How are you? Fine!', ['Hello there.', 'How are you?', 'Fine!']],
  ['prices', 'It costs 3.50 euros. Is that all?', ['It costs 3.50 euros.', 'Is that all?']],
  ['thousands', 'It has 1.250.000 users. Good.', ['It has 1.250.000 users.', 'Good.']],
  ['times', 'Come at 10.30 a.m. on Monday. Bye.', ['Come at 10.30 a.m. on Monday.', 'Bye.']],
  ['titles', 'Dr. Smith and Mrs. Jones are here. Wait.', ['Dr. Smith and Mrs. Jones are here.', 'Wait.']],
  ['German abbreviations', 'Das ist z. B. gut, bzw. Herr Nr. 5. Ja.', ['Das ist z. B. gut, bzw. Herr Nr. 5. Ja.']],
  ['German ordinals', 'Am 3. Mai um acht. Passt das?', ['Am 3. Mai um acht.', 'Passt das?']],
  ['initials', 'J. S. Bach wrote it. Yes.', ['J. S. Bach wrote it.', 'Yes.']],
  [
    'addresses',
    'See https://example.com/a.b?c=1. Or www.example.org.',
    ['See https://example.com/a.b?c=1.', 'Or www.example.org.'],
  ],
  ['e-mail', 'Write to info@example.com. Thanks.', ['Write to info@example.com.', 'Thanks.']],
  ['quotes', 'He said "Stop." Then he left.', ['He said "Stop."', 'Then he left.']],
  ['ellipses', 'Well... let me see. Yes.', ['Well... let me see.', 'Yes.']],
  ['Chinese', '你好，我是小明。你需要什么？好的！', ['你好，我是小明。', '你需要什么？', '好的！']],
  ['Japanese', 'こんにちは。ご注文は何ですか？', ['こんにちは。', 'ご注文は何ですか？']],
  ['Arabic', 'مرحبا بك. كيف حالك؟ جيد.', ['مرحبا بك.', 'كيف حالك؟', 'جيد.']],
  ['Hindi', 'नमस्ते जी। आप कैसे हैं?', ['नमस्ते जी।', 'आप कैसे हैं?']],
  ['Markdown', '**Bold** and *soft* `code` with __under__. Next.', ['Bold and soft code with under.', 'Next.']],
  [
    'headings and lists',
    '# Menu\n\n- Green tea\n- **Black** tea\n1. First',
    ['Menu', 'Green tea', 'Black tea', '1. First'],
  ],
  ['links', 'See [our page](https://example.com/x_(y) "T") for it. Ok.', ['See our page for it.', 'Ok.']],
  ['code blocks', 'Look:\n```js\nlet x = 1;\n```\nDone.', ['Look:', 'Done.']],
  ['rules and tables', 'A\n---\n| a | b |\n|---|---|\n| 1 | 2 |\nB', ['A', 'a, b', '1, 2', 'B']],
  ['arithmetic', 'It is 3*4 and snake_case stays. Yes.', ['It is 3*4 and snake_case stays.', 'Yes.']],
  ['service codes', 'Please dial **61* or *100# now. Ok.', ['Please dial **61* or *100# now.', 'Ok.']],
  ['one service code', 'Dial *61* first. Ok.', ['Dial *61* first.', 'Ok.']],
  ['a sign', 'Press * to continue, # to end. Ok.', ['Press * to continue, # to end.', 'Ok.']],
  ['signs of every kind', 'Type `~_ or a_b or ~5. Ok.', ['Type `~_ or a_b or ~5.', 'Ok.']],
  ['bold numbers', 'Your code is **4711**. Ok.', ['Your code is 4711.', 'Ok.']],
  [
    'bold parts of words',
    'Two **Tea**s, 一杯**绿**茶. It is 2**3 and 4**5. Ok.',
    ['Two Teas, 一杯绿茶.', 'It is 2**3 and 4**5.', 'Ok.'],
  ],
  ['emphasis in emphasis', '***Both*** and **one *in* other**. Ok.', ['Both and one in other.', 'Ok.']],
  ['emphasis over sentences', '**Hello there. How are you?** Fine.', ['Hello there.', 'How are you? Fine.']],
  ['struck words', 'It is ~~ten~~ nine euros. Ok.', ['It is nine euros.', 'Ok.']],
  ['struck numbers', 'Price: ~~20~~ 15 EUR. Or ~~**30**~~, today. Ok.', ['Price: 15 EUR.', 'Or, today.', 'Ok.']],
  ['deleted elements', 'It is <del>20</del> <b>15</b> or <strike><i>9</i></strike>. Ok.', ['It is 15 or.', 'Ok.']],
  ['struck sentences', 'Come ~~at one. Or at two~~ at ten. Ok.', ['Come at one.', 'at ten.', 'Ok.']],
  ['drawn-out words', '好的~~马上来~~ and ~~5 or so. Ok.', ['好的马上来 and ~~5 or so.', 'Ok.']],
  ['drawn-out words over sentences', '好的~~马上来。我来了~~', ['好的~~马上来。', '我来了~~']],
  ['sentences of SSML', '<speak><s>Hello there.</s></speak>', ['Hello there.']],
  [
    'comparisons',
    'a<b and c>d, i <p && q> 5, a <b c == d> six. Ok.',
    ['a<b and c>d, i <p && q> 5, a <b c == d> six.', 'Ok.'],
  ],
  ['attributes', 'A <p hidden class="x">tea</p><br />or <b id=a>two</b>. Ok.', ['A tea or two.', 'Ok.']],
  ['attributes without a value', '<details open>tea</details>. Ok.', ['tea.', 'Ok.']],
  ['escaped marks', 'Dial \\*61\\* or \\_x\\_. Ok.', ['Dial *61* or _x_.', 'Ok.']],
  ['a bar', 'Say yes | maybe. Ok.', ['Say yes | maybe.', 'Ok.']],
  ['a minus sign', 'It is -5 degrees, or\n-3. Ok.', ['It is -5 degrees, or', '-3.', 'Ok.']],
  ['HTML', 'Tea<br>and <b>cake</b> &amp; milk &lt;5&nbsp;%. Ok.', ['Tea and cake & milk <5 %.', 'Ok.']],
  [
    'angle brackets',
    'Write to <jane@example.com> about Map<String, Integer>. Ok.',
    ['Write to jane@example.com about Map<String, Integer>.', 'Ok.'],
  ],
  ['nothing', '  \n \n', []],
];

describe('the sentences of an answer', () => {
  it.each(TEXTS)('%s are cut where a speaker would pause', (_, text, parts) => {
    for (const length of [1, 3, 7, 1_000]) expect(split(text, length)).toEqual(parts);
  });

  it('a long beginning is cut at a clause after at most 60 characters, later parts stay whole', () => {
    const text =
      'If you would like to order some tea today, then we can certainly send it to your office by tomorrow morning at nine. ' +
      'And if you would like to order some more tea today, then we can certainly send it to your office as well by then.';
    const parts = split(text, 4);
    expect(parts[0]).toBe('If you would like to order some tea today,');
    expect(parts[1]).toBe('then we can certainly send it to your office by tomorrow morning at nine.');
    expect(parts).toHaveLength(3);
    expect(parts.join(' ')).toBe(text);
  });

  it('a long beginning without a clause is cut between words, never in a number or an address', () => {
    const number = split(
      'The number that you can always call in an emergency is 0171 234 567 890 12 34 or later on',
      5,
    );
    expect(number.join(' ')).toBe(
      'The number that you can always call in an emergency is 0171 234 567 890 12 34 or later on',
    );
    expect(number[0]!.length).toBeLessThanOrEqual(60);
    expect(number.every((part) => !/^\d+ \d/.test(part) || part.startsWith('0171 234'))).toBe(true);
    const address = split(`Our address is https://example.com/${'a'.repeat(80)} and more`, 5);
    expect(address).toContain(`https://example.com/${'a'.repeat(80)} and more`);
  });

  it.each(['你'.repeat(150), 'สวัสดีครับ'.repeat(30), '今日は天気がとてもいいですから'.repeat(12)])(
    'a script without spaces is cut as well: %s',
    (text) => {
      const parts = split(text, 6);
      expect(parts.length).toBeGreaterThan(1);
      expect(parts.join('')).toBe(text);
      expect(Math.max(...parts.map((part) => part.length))).toBeLessThanOrEqual(250);
    },
  );

  it('an endless word does not make the splitter slow', async () => {
    const lengthOf = (pushes: number): number => {
      const splitter = new SentenceSplitter();
      const parts = Array.from({ length: pushes }, () => splitter.push('abcdefghij')).flat();
      return [...parts, ...splitter.end()].join('').length;
    };
    expect(lengthOf(2_000)).toBe(20_000);
    expect(await growsLinearly(lengthOf, 2_000)).toBe(true);
  });
});
