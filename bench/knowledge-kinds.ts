import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { holdsText } from './knowledge-question-sets.js';
import { holdsRow } from './knowledge-tables.js';

/** Documents of five kinds with questions that avoid their words; BENCH_QUESTIONS names another folder. */
const FOLDER = resolve(process.env.BENCH_QUESTIONS ?? 'bench/questions');

/** `held-out`: nothing is tuned on these questions, and nobody reads them. The other files are about rows of price lists. */
export type QuestionFile = 'tuning' | 'held-out' | 'article-numbers' | 'rows-by-attribute';

interface KindQuestion {
  kind: string;
  /** Name of the document's file. */
  document: string;
  question: string;
  /** Text of the right passage as in the document; cells of a table in Markdown. */
  answer: string;
}

export function documentsOfKinds(): { name: string; content: string }[] {
  const folder = join(FOLDER, 'documents');
  if (!existsSync(folder)) return [];
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.md'));
  return files.toSorted().map((name) => ({ name: basename(name), content: readFileSync(join(folder, name), 'utf8') }));
}

export function questionsOfKinds(file: QuestionFile): KindQuestion[] {
  const path = join(FOLDER, 'questions', `${file}.jsonl`);
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, 'utf8').split('\n').filter(Boolean);
  const questions = lines.map((line) => JSON.parse(line) as KindQuestion);
  return questions.map((one) => ({ ...one, document: basename(one.document) }));
}

/** Whether a passage has the answer, which is written without the marks of Markdown. */
export function holdsAnswer(text: string, answer: string): boolean {
  if (!answer.includes('|')) return holdsText(plainOf(text), plainOf(answer));
  const cells = answer.split('|').map((cell) => plainOf(cell).trim());
  return holdsRow(plainOf(text), cells.filter(Boolean));
}

const plainOf = (text: string): string => text.replace(/[*_`#]|\[(?=[^\]]*\]\()|\]\([^)]*\)/g, '');
