import { readFileSync } from 'node:fs';
import { dataPath } from '../test/support/test-data.js';

export interface Question {
  text: string;
  /** The answer in the paragraph. */
  answer: string;
}

export interface Article {
  title: string;
  paragraphs: { text: string; questions: Question[] }[];
}

interface XquadFile {
  data: {
    title: string;
    paragraphs: { context: string; qas: { question: string; answers: { text: string }[] }[] }[];
  }[];
}

/** XQuAD: 48 articles of 5 paragraphs in each language, with 1,190 questions. */
export function articles(language: string): Article[] {
  const file = JSON.parse(readFileSync(dataPath('xquad', `xquad.${language}.json`), 'utf8')) as XquadFile;
  return file.data.map(({ title, paragraphs }) => ({
    title: title.replaceAll('_', ' '),
    paragraphs: paragraphs.map(({ context, qas }) => ({
      text: context,
      questions: qas.map(({ question, answers }) => ({ text: question, answer: answers[0]?.text ?? '' })),
    })),
  }));
}

export const markdownOf = ({ title, paragraphs }: Article): string =>
  `# ${title}\n\n${paragraphs.map(({ text }) => text.trim()).join('\n\n')}\n`;
