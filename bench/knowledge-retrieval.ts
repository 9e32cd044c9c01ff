import { existsSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import type { KnowledgeClient, Passage } from '../test/support/knowledge-client.js';
import { RestartablePostgres } from '../test/support/restartable-postgres.js';
import { Stack } from '../test/support/stack.js';
import { testData } from '../test/support/test-data.js';
import { PRODUCT_HEADERS, PRODUCTS, type Product } from './knowledge-products.js';
import {
  type Asked,
  byArticleNumber,
  byAttributes,
  byModel,
  clientOf,
  EVERY,
  fileOf,
  holdsText,
  isRowOf,
  placed,
  someProducts,
  upload,
  withoutRarest,
  type Wordings,
} from './knowledge-question-sets.js';
import { ndcg, questionsIn } from './knowledge-questions.js';
import { CROSS_LANGUAGE, DOCUMENTS, PARAPHRASES } from './knowledge-retrieval-questions.js';
import { csvOf } from './knowledge-tables.js';
import { table } from './table.js';

const LANGUAGES = ['en', 'de', 'ru', 'ar', 'zh', 'th'];
const LANGUAGE_BAR = 0.91;
/** A phone call reads few passages. */
const FIRST = 3;
/** Found completely by a prototype that scores single rows. */
const PRODUCT_BAR = 0.98;

/** Bars: for one wording, and with `queries`. */
interface Bars {
  alone?: number;
  both?: number;
}

interface Measured {
  alone: number;
  /** The second wording alone. */
  second?: number;
  both?: number;
}

/**
 * Retrieval through the public API of the built processes, with one wording of each question and with `queries`: passages of
 * XQuAD, questions in other words than the text, rows of a product list, and real documents.
 */
export async function run(): Promise<void> {
  const database = await RestartablePostgres.start();
  const stack = await Stack.start({ dialers: 0, database, env: { LOG_LEVEL: 'fatal' } });
  try {
    const rows: string[][] = [];
    if (testData === undefined)
      console.log('knowledge-retrieval: without XQuAD, which is missing (TRUNKLINE_TEST_DATA)');
    else rows.push(...(await askParagraphs(stack)));
    rows.push(...(await askProducts(stack)), ...(await askDocuments(stack)));
    console.log(
      '\nRetrieval through the API, with one wording of a question, with the second one, and with both as `queries`',
    );
    table(['set', 'questions', 'measure', 'one wording', 'bar', 'second one', 'both', 'bar', 'held'], rows);
  } finally {
    await stack.stop();
  }
}

async function askParagraphs(stack: Stack): Promise<string[][]> {
  const rows: string[][] = [];
  for (const language of LANGUAGES) {
    const { questions: all, ask } = await paragraphsIn(stack, language);
    const questions = all.filter((_, at) => at % EVERY === 0);
    rows.push(rankedRow(`XQuAD ${language}`, questions, await ask(questions), { alone: LANGUAGE_BAR }));
    if (language !== 'en') continue;
    const { paragraphs } = questionsIn('en');
    const sets: [string, Asked[], Bars][] = [
      ['without the rarest third of the words', withoutRarest(paragraphs, questions), {}],
      ['in the words of callers', PARAPHRASES.map((one) => placed(paragraphs, one)), {}],
      ['questions in German', inGerman(all), { both: 0.973 }],
      ['in other languages, words of callers', CROSS_LANGUAGE.map((one) => placed(paragraphs, one)), {}],
    ];
    for (const [name, asked, bars] of sets) rows.push(rankedRow(`XQuAD en, ${name}`, asked, await ask(asked), bars));
  }
  return rows;
}

/** Each paragraph is a text of one agent. */
async function paragraphsIn(stack: Stack, language: string) {
  const client = await clientOf(stack, `xquad-${language}`);
  const { paragraphs, questions } = questionsIn(language);
  const numbers = new Map<number, number>();
  for (const [number, text] of paragraphs.entries()) numbers.set((await client.text('Article', text)).id, number);
  const ranked = async (asked: string | string[]): Promise<number[]> => {
    const found = await client.search(asked, 10);
    return [...new Set(found.map((passage) => numbers.get(passage.knowledge_base_id) ?? -1))];
  };
  const ask = async (asked: Asked[]): Promise<Measured> => {
    const [alone, second, both]: [number[][], number[][], number[][]] = [[], [], []];
    for (const { question, rewording } of asked) {
      alone.push(await ranked(question));
      if (rewording === undefined) continue;
      second.push(await ranked(rewording));
      both.push(await ranked([question, rewording]));
    }
    if (both.length === 0) return { alone: ndcg(asked, alone) };
    return { alone: ndcg(asked, alone), second: ndcg(asked, second), both: ndcg(asked, both) };
  };
  return { questions, ask };
}

/** The same questions in German, which XQuAD has in the same order; the second wording is in English. */
function inGerman(questions: Asked[]): Asked[] {
  const german = questionsIn('de').questions;
  const both = questions.map(({ question, right }, at) => ({
    question: german[at]!.question,
    rewording: question,
    right,
  }));
  return both.filter((_, at) => at % EVERY === 0);
}

async function askProducts(stack: Stack): Promise<string[][]> {
  const rows: string[][] = [];
  for (const header of PRODUCT_HEADERS) {
    const client = await clientOf(stack, header[0]!);
    await upload(client, 'products.csv', csvOf({ header, rows: PRODUCTS.map(({ cells }) => cells) }));
    const sets: [string, Product[], (product: Product) => Required<Wordings>][] = [
      ['attributes', someProducts(50, 0), byAttributes],
      ['article number', someProducts(25, 1), byArticleNumber],
      ['model', someProducts(25, 2), byModel],
    ];
    for (const [name, products, wordings] of sets) {
      const asked = products.map((product) => ({ ...wordings(product), isRight: isRowOf(header, product) }));
      const { found } = await hits(client, asked);
      const title = `products ("${header[0]}") by ${name}`;
      rows.push(countedRow(title, asked.length, found, { alone: PRODUCT_BAR, both: PRODUCT_BAR }));
    }
  }
  return rows;
}

/** One agent has all documents. */
async function askDocuments(stack: Stack): Promise<string[][]> {
  const client = await clientOf(stack, 'documents');
  const there = DOCUMENTS.map((one) => ({ ...one, file: fileOf(one.path) })).filter(({ file }) => existsSync(file));
  for (const { path } of DOCUMENTS.filter((one) => !there.some(({ path }) => path === one.path)))
    console.log(`knowledge-retrieval: without ${path}, which is missing`);
  for (const { file } of there) await upload(client, basename(file), readFileSync(file));
  const rows: string[][] = [];
  const sum = { alone: 0, second: 0, both: 0 };
  const missed: string[] = [];
  for (const { path, questions } of there) {
    const asked = questions.map((one) => ({ ...one, isRight: ({ text }: Passage) => holdsText(text, one.answer) }));
    const { found, missing } = await hits(client, asked);
    rows.push(countedRow(basename(path), asked.length, found, {}));
    sum.alone += found.alone;
    sum.second += found.second;
    sum.both += found.both;
    missed.push(...missing.map((question) => `${basename(path)}: ${question}`));
  }
  const total = there.reduce((count, { questions }) => count + questions.length, 0);
  rows.push(countedRow(`${there.length} documents together`, total, sum, { both: 0.9 }));
  if (missed.length > 0) console.log(`\nNot found in the documents with \`queries\`\n  ${missed.join('\n  ')}`);
  return rows;
}

/** Questions whose right passage is one of the first three. */
async function hits(
  client: KnowledgeClient,
  asked: (Required<Wordings> & { isRight: (passage: Passage) => boolean })[],
) {
  const found = { alone: 0, second: 0, both: 0 };
  const missing: string[] = [];
  for (const { question, rewording, isRight } of asked) {
    if ((await client.search(question, FIRST)).some(isRight)) found.alone += 1;
    if ((await client.search(rewording, FIRST)).some(isRight)) found.second += 1;
    if ((await client.search([question, rewording], FIRST)).some(isRight)) found.both += 1;
    else missing.push(question);
  }
  return { found, missing };
}

function rankedRow(name: string, asked: Asked[], { alone, second, both }: Measured, bars: Bars): string[] {
  const round = (value: number): number => Math.round(value * 1_000) / 1_000;
  const more = second !== undefined && both !== undefined && { second: round(second), both: round(both) };
  const shown = (value?: number): string => value?.toFixed(3).replace(/^0/, '') ?? '';
  return rowOf([name, `${asked.length}`, 'nDCG@10'], { alone: round(alone), ...more }, bars, shown);
}

const countedRow = (name: string, count: number, found: Required<Measured>, bars: Bars): string[] =>
  rowOf(
    [name, `${count}`, `hit@${FIRST}`],
    { alone: found.alone / count, second: found.second / count, both: found.both / count },
    bars,
    (share) => (share === undefined ? '' : `${Math.round(share * count)} of ${count}`),
  );

function rowOf(
  first: string[],
  { alone, second, both }: Measured,
  bars: Bars,
  shown: (value?: number) => string,
): string[] {
  const bar = (value?: number): string => (value === undefined ? '' : `>= ${shown(value)}`);
  const isHeld = alone >= (bars.alone ?? 0) && (both ?? 0) >= (bars.both ?? 0);
  const held = Object.keys(bars).length === 0 ? '' : isHeld ? 'yes' : 'NO';
  return [...first, shown(alone), bar(bars.alone), shown(second), shown(both), bar(bars.both), held];
}
