import { describe, expect, it } from '@jest/globals';
import {
  QUESTION_LANGUAGES,
  questionedParagraphs,
  type QuestionLanguage,
  type QuestionSet,
} from '../../../../test/support/questions.js';
import { largeOnly } from '../../../../test/support/test-data.js';
import { indexTexts } from '../../test/index-texts.js';
import { queryTerms } from './query-terms.js';
import { rank } from './ranking.js';

/** Every fourth question of XQuAD (the benchmark uses all) and all questions of the handbook. */
const STEPS: Record<QuestionSet, number> = { handbook: 1, xquad: 4 };

/** nDCG@10 of one language: each question has one correct paragraph in its set. */
async function quality(set: QuestionSet, language: QuestionLanguage): Promise<number> {
  const paragraphs = questionedParagraphs(set, language);
  const index = await indexTexts({ texts: paragraphs.map(({ text }) => text) });
  const gains = paragraphs
    .flatMap(({ questions }, right) => questions.map((question) => ({ question, right })))
    .filter((_, at) => at % STEPS[set] === 0)
    .map(({ question, right }) => {
      const place = rank(index, queryTerms(index, [question]), 10).findIndex(({ chunk }) => chunk === right);
      return place < 0 ? 0 : 1 / Math.log2(place + 2);
    });
  return gains.reduce((sum, gain) => sum + gain, 0) / gains.length;
}

type Bar = [QuestionSet, QuestionLanguage, number];

describe('the quality of the lexical search', () => {
  it.each<Bar>([
    ...QUESTION_LANGUAGES.map((language): Bar => ['handbook', language, 0.98]),
    ...largeOnly<Bar>(
      ['xquad', 'en', 0.965],
      ['xquad', 'de', 0.94],
      ['xquad', 'ru', 0.948],
      ['xquad', 'zh', 0.96],
      ['xquad', 'th', 0.964],
      ['xquad', 'ar', 0.94],
    ),
  ])('%s, %s: nDCG@10 at least %d', async (set, language, bar) => {
    expect(await quality(set, language)).toBeGreaterThanOrEqual(bar);
  });
});
