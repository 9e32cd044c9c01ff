import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { dataPath, testData } from '../../../../test/support/test-data.js';
import { indexTexts } from '../../test/index-texts.js';
import { queryTerms } from './query-terms.js';
import { rank } from './ranking.js';

interface XQuad {
  data: { paragraphs: { context: string; qas: { question: string }[] }[] }[];
}

/** Every so manieth question is asked; the benchmark asks all. */
const STEP = 4;

/** nDCG@10 of one language of XQuAD: each question has one right paragraph of 240. */
async function quality(language: string): Promise<number> {
  const { data } = JSON.parse(readFileSync(dataPath('xquad', `xquad.${language}.json`), 'utf8')) as XQuad;
  const paragraphs = data.flatMap((article) => article.paragraphs);
  const index = await indexTexts({ texts: paragraphs.map(({ context }) => context) });
  const questions = paragraphs.flatMap(({ qas }, right) => qas.map(({ question }) => ({ question, right })));
  const gains = questions
    .filter((_, at) => at % STEP === 0)
    .map(({ question, right }) => {
      const place = rank(index, queryTerms(index, question), 10).findIndex(({ chunk }) => chunk === right);
      return place < 0 ? 0 : 1 / Math.log2(place + 2);
    });
  return gains.reduce((sum, gain) => sum + gain, 0) / gains.length;
}

// Without the data there is nothing to measure: it is not part of the project.
(testData === undefined ? describe.skip : describe)('questions find their paragraph', () => {
  it.each([
    ['en', 0.965],
    ['de', 0.94],
    ['ru', 0.948],
    ['zh', 0.96],
    ['th', 0.964],
    ['ar', 0.94],
  ])('%s: nDCG@10 at least %d', async (language, bar) => {
    expect(await quality(language)).toBeGreaterThanOrEqual(bar);
  });
});
