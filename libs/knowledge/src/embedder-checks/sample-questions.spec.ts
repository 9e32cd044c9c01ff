import { describe, expect, it } from '@jest/globals';
import { placeOfExpected } from '../retrieval-tests/expectation.js';
import { outcomeOfCheck, questionAbout, samplePlaces } from './sample-questions.js';

describe('a question made from a passage', () => {
  it('is its middle sentence without the longest third of the words', () => {
    const passage = 'Our shop is open. Goods can be returned within thirty days of purchase. Ask us about it.';
    expect(questionAbout(passage)).toEqual({
      question: 'Goods can be thirty days of',
      expected: 'Goods can be returned within thirty days of purchase',
    });
  });

  it.each([
    ['a row of a table', '| Kettle K-200 | stainless steel | 1.5 litres | 2,200 watts | 39.90 |'],
    ['Chinese', '停车场有三百零八个车位，客人可以免费使用。早餐从七点到十点在一楼餐厅供应。'],
    ['Thai', 'โรงแรมมีที่จอดรถฟรีสำหรับแขกที่เข้าพักทุกคนตลอดทั้งวัน'],
    ['Arabic', 'يمكن إرجاع البضائع خلال ثلاثين يومًا من تاريخ الشراء مع الإيصال.'],
    ['a sentence of 1,000 words', 'kettle toaster lamp '.repeat(334)],
  ])('exists for %s and is shorter than the text that it must find there', (_, passage) => {
    const { question, expected } = questionAbout(passage)!;
    expect(question.length).toBeGreaterThan(5);
    expect(question.length).toBeLessThan(expected.length);
    const found = { knowledgeBaseId: 1, title: '', source: null, headingPath: [], text: passage };
    expect(placeOfExpected({ text: expected, source: null, knowledgeBaseId: null }, [found])).toBe(1);
  });

  it.each(['', 'Returns', 'Page 4 of 12', '| 1 | 2 |', '—'.repeat(1_000)])('does not exist for %j', (passage) => {
    expect(questionAbout(passage)).toBeUndefined();
  });
});

describe('the places of a sample', () => {
  it('are spread over the sources by their size', () => {
    const places = samplePlaces([100, 0, 300], 4);
    expect(places).toEqual([
      { source: 0, share: 0.5, skipped: 0 },
      { source: 2, share: expect.closeTo(1 / 6, 5), skipped: 1 },
      { source: 2, share: 0.5, skipped: 2 },
      { source: 2, share: expect.closeTo(5 / 6, 5), skipped: 0 },
    ]);
  });

  it('are none without passages', () => {
    expect(samplePlaces([], 4)).toEqual([]);
    expect(samplePlaces([0], 4)).toEqual([]);
  });
});

describe('the outcome of a comparison', () => {
  it.each([
    [0, 0, 'similar'],
    [0, 6, 'similar'],
    [0, 7, 'worse'],
    [7, 0, 'better'],
    [10, 12, 'similar'],
    [3, 14, 'worse'],
    [3, 12, 'similar'],
    [50, 0, 'better'],
  ] as const)('with %i gained and %i lost answers is %s', (gained, lost, outcome) => {
    expect(outcomeOfCheck(gained, lost)).toBe(outcome);
  });
});
