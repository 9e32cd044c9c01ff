import { readFileSync } from 'node:fs';
import { dataPath, largeOnly, ownDataPath } from './test-data.js';

/** A paragraph and the questions it answers. */
export interface QuestionedParagraph {
  text: string;
  questions: string[];
}

export const QUESTION_LANGUAGES = ['en', 'de', 'ru', 'zh', 'th', 'ar'] as const;
export type QuestionLanguage = (typeof QUESTION_LANGUAGES)[number];

/** The handbook of test/data (24 paragraphs per language), and XQuAD (240) if available. */
export const QUESTION_SETS = ['handbook', ...largeOnly('xquad' as const)] as const;
export type QuestionSet = 'handbook' | 'xquad';

type Handbook = Record<string, { sections: QuestionedParagraph[] }[]>;

interface XQuad {
  data: { paragraphs: { context: string; qas: { question: string }[] }[] }[];
}

export const questionedParagraphs = (set: QuestionSet, language: QuestionLanguage): QuestionedParagraph[] =>
  set === 'handbook' ? handbookParagraphs(language) : xquadParagraphs(language);

function handbookParagraphs(language: QuestionLanguage): QuestionedParagraph[] {
  const handbook = JSON.parse(readFileSync(ownDataPath('handbook.json'), 'utf8')) as Handbook;
  return (handbook[language] ?? []).flatMap(({ sections }) => sections);
}

function xquadParagraphs(language: QuestionLanguage): QuestionedParagraph[] {
  const { data } = JSON.parse(readFileSync(dataPath('xquad', `xquad.${language}.json`), 'utf8')) as XQuad;
  return data.flatMap(({ paragraphs }) =>
    paragraphs.map(({ context, qas }) => ({ text: context, questions: qas.map(({ question }) => question) })),
  );
}
