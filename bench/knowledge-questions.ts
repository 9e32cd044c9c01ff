import { articles } from './knowledge-texts.js';

/** Paragraphs and questions of one language of XQuAD; each question has one correct paragraph. */
export interface Questions {
  paragraphs: string[];
  questions: { question: string; right: number }[];
}

export function questionsIn(language: string): Questions {
  const paragraphs = articles(language).flatMap((article) => article.paragraphs);
  return {
    paragraphs: paragraphs.map(({ text }) => text),
    questions: paragraphs.flatMap(({ questions }, right) => questions.map(({ text }) => ({ question: text, right }))),
  };
}

/** nDCG@10 of results, given as paragraph numbers, best first. */
export function ndcg(questions: { right: number }[], answers: number[][]): number {
  const gains = questions.map(({ right }, at) => {
    const place = answers[at]!.slice(0, 10).indexOf(right);
    return place < 0 ? 0 : 1 / Math.log2(place + 2);
  });
  return gains.reduce((sum, gain) => sum + gain, 0) / gains.length;
}

/** Reproducible random numbers, 0 <= number < 1. */
export function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return state / 0x80000000;
  };
}

/** Typos: one letter removed, inserted, replaced or swapped in half of the words with five or more letters, never the first letter. */
export function withTypos(question: string, random: () => number): string {
  const word = (text: string): string => {
    if (text.length < 5 || random() > 0.5) return text;
    const at = 1 + Math.floor(random() * (text.length - 2));
    const letter = String.fromCharCode(97 + Math.floor(random() * 26));
    const [before, rest] = [text.slice(0, at), text.slice(at)];
    const edits = [
      rest.slice(1),
      letter + rest,
      letter + rest.slice(1),
      rest.charAt(1) + rest.charAt(0) + rest.slice(2),
    ];
    return before + edits[Math.floor(random() * edits.length)]!;
  };
  return question.split(' ').map(word).join(' ');
}

/** Texts of about 180 words from random positions in the paragraphs, each with one unique word. */
export function* manyTexts(paragraphs: string[], count: number, random: () => number): Generator<string> {
  const words = paragraphs.join(' ').split(/\s+/);
  for (let n = 0; n < count; n += 1) {
    const at = Math.floor(random() * (words.length - 180));
    yield `${words.slice(at, at + 180).join(' ')} item${n}`;
  }
}
