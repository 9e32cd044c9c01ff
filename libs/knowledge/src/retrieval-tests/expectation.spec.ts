import { describe, expect, it } from '@jest/globals';
import { combineOutcome, comparable, type Expectation, outcomeOf, placeOfExpected } from './expectation.js';

const passages = (...texts: string[]) =>
  texts.map((text, at) => ({
    knowledgeBaseId: at + 1,
    title: `Title ${at + 1}`,
    source: null,
    headingPath: [],
    text,
  }));
const expecting = (given: Partial<Expectation>): Expectation => ({
  text: null,
  source: null,
  knowledgeBaseId: null,
  ...given,
});
const placeOfText = (text: string, ...texts: string[]) => placeOfExpected(expecting({ text }), passages(...texts));

describe('an expected text', () => {
  it.each<[string, string, string]>([
    ['in other case', 'GOODS can be Returned', 'Our goods can be returned within 30 days.'],
    ['with other white space', 'within\n 30\u00a0days', 'returned within 30 days'],
    ['with other punctuation', '“30 days” - no longer', "within '30 days', no longer!"],
    ['with markup of a table', 'Price 320.50', '| Price | 320.50 |'],
    ['with other separators in numbers', '1.500,00 EUR', '1,500.00 EUR'],
    ['with ligatures and full width', 'office ３０', 'ofﬁce 30'],
    ['with soft hyphens', 'cancellation', 'can\u00adcel\u00adla\u00adtion'],
    ['with composed characters', 'café', 'cafe\u0301'],
    ['with ß or ss', 'STRASSE', 'Straße'],
    ['with a final sigma', 'ΟΔΟΣ', 'οδος'],
    ['in Chinese, inside of a sentence', '308个车位', '停车场有 308 个车位。'],
    ['in Thai, inside of a sentence', 'ที่จอดรถ 308', 'มีที่จอดรถ 308 คัน'],
    ['in Arabic', 'ثلاثون يومًا', 'يمكن الإرجاع خلال ثلاثون يومًا.'],
    ['of one word', '42', 'The answer is 42.'],
  ])('is found %s', (_, text, passage) => {
    expect(placeOfText(text, 'something else', passage)).toBe(2);
  });

  it.each<[string, string, string]>([
    ['a part of a number', '30 days', 'within 130 days'],
    ['the beginning of a word', 'return', 'goods can be returned'],
    ['the end of a number', '9.5', 'It costs 19.5'],
    ['the end of a number with a separator', '500 EUR', 'It costs 1,500 EUR'],
    ['a number with more digits', '320.5', 'It costs 320.50'],
    ['other words', 'within 30 days', 'within 60 days'],
    ['another order', 'days 30', '30 days'],
  ])('is not found as %s', (_, text, passage) => {
    expect(placeOfText(text, passage)).toBeUndefined();
  });

  it('is found at the best of several places', () => {
    expect(placeOfText('30 days', 'x', '30 days', '30 days')).toBe(2);
  });

  it('may begin with the heading above the passage', () => {
    const [passage] = passages('Within 30 days.');
    const found = placeOfExpected(expecting({ text: 'Returns: within 30 days' }), [
      { ...passage!, headingPath: ['Terms', 'Returns'] },
    ]);
    expect(found).toBe(1);
  });

  it('of several sentences may be spread over passages, the last of which decides', () => {
    const text = 'Goods can be returned. Refunds take five days!\nKeep the receipt.';
    expect(placeOfText(text, 'Goods can be returned.', 'x', 'Refunds take five days. Keep the receipt.')).toBe(3);
    expect(placeOfText(text, 'Goods can be returned.', 'Refunds take five days.')).toBeUndefined();
    expect(placeOfText('货物可以退回。退款需要五天。', '退款需要五天。', '货物可以退回。')).toBe(2);
  });
});

describe('an expected source', () => {
  const [text, file, page] = passages('a', 'b', 'c');
  const found = [
    text!,
    { ...file!, source: 'Price List.PDF' },
    { ...page!, source: 'https://Example.com/hours/?day=1#top' },
  ];

  it.each<[string, number | undefined]>([
    ['title 1', 1],
    [' price  list.pdf', 2],
    ['http://example.com/hours?day=1', 3],
    ['https://example.com/hours', undefined],
    ['list.pdf', undefined],
  ])('%s is at %s', (source, place) => {
    expect(placeOfExpected(expecting({ source }), found)).toBe(place);
  });

  it('must contain the expected text, if both are given', () => {
    const same = passages('30 days', '30 days');
    expect(placeOfExpected(expecting({ text: '30 days', source: 'Title 2' }), same)).toBe(2);
    expect(placeOfExpected(expecting({ text: '60 days', source: 'Title 2' }), same)).toBeUndefined();
    expect(placeOfExpected(expecting({ text: '30 days', knowledgeBaseId: 2 }), same)).toBe(2);
    expect(placeOfExpected(expecting({ knowledgeBaseId: 3 }), same)).toBeUndefined();
  });
});

describe('the outcome of a test', () => {
  const expected = expecting({ text: '30 days' });

  it.each<[string, string[], object]>([
    ['passes', ['x', '30 days'], { passed: true, rank: 2, reason: null }],
    [
      'names the place behind the limit',
      ['x', 'x', '30 days'],
      { passed: false, rank: 3, reason: 'The expected text is at place 3, not among the first 2.' },
    ],
    [
      'names the number of passages without the text',
      ['x', 'y', 'z'],
      { passed: false, rank: null, reason: 'The expected text is not among the first 3 passages.' },
    ],
    ['says that nothing was found', [], { passed: false, rank: null, reason: 'The search returns no passage.' }],
  ])('%s', (_, texts, outcome) => {
    expect(outcomeOf(expected, 2, passages(...texts))).toEqual(outcome);
  });

  it('requires every question to find the answer and keeps the worst rank', () => {
    const passed = { passed: true, rank: 1, reason: null };
    const failed = { passed: false, rank: 4, reason: 'Late.' };
    const missing = { passed: false, rank: null, reason: 'Gone.' };
    expect(combineOutcome([passed, { ...passed, rank: 2 }])).toEqual({ passed: true, rank: 2, reason: null });
    expect(combineOutcome([passed, failed])).toEqual({ passed: false, rank: 4, reason: 'Question 2: Late.' });
    expect(combineOutcome([missing, failed])).toEqual({ passed: false, rank: null, reason: 'Question 1: Gone.' });
    expect(combineOutcome([missing])).toEqual(missing);
    expect(combineOutcome([])).toEqual({ passed: true, rank: null, reason: null });
  });
});

it('a text without letters and digits has nothing to compare', () => {
  expect(comparable(' ?! \u200b| ')).toBe('');
});
