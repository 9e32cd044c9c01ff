import { existsSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { eventually } from '../test/support/eventually.js';
import type { KnowledgeClient, Passage } from '../test/support/knowledge-client.js';
import { RestartablePostgres } from '../test/support/restartable-postgres.js';
import { Stack } from '../test/support/stack.js';
import { testData } from '../test/support/test-data.js';
import { documentsOfKinds, holdsAnswer, type QuestionFile, questionsOfKinds } from './knowledge-kinds.js';
import { PRODUCT_HEADERS, PRODUCTS } from './knowledge-products.js';
import {
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
} from './knowledge-question-sets.js';
import { questionsIn } from './knowledge-questions.js';
import { CROSS_LANGUAGE, DOCUMENTS, PARAPHRASES } from './knowledge-retrieval-questions.js';
import { csvOf } from './knowledge-tables.js';
import { table } from './table.js';

const LANGUAGES = ['en', 'de', 'ru', 'ar', 'zh', 'th'];
const WORDS = { EMBEDDINGS_PROVIDER: 'none' };
const MEANING = { EMBEDDINGS_PROVIDER: 'embedder' };
/** nDCG@10 counts as many results. */
const RANKED = 10;
/** As many passages as an agent receives at most. */
const FIRST = 5;
const PAGE = 100;
const VECTORS_MS = 1_800_000;

/** The questions of one row of the table, and the agent that is asked. */
interface QuestionSet {
  name: string;
  client: KnowledgeClient;
  asked: { question: string; isRight: (passage: Passage) => boolean }[];
  /** Minimum share of the first results with the embedder. */
  found?: number;
  /** Minimum nDCG@10 with the embedder, as a multiple of that by words alone; absent: it may not lose more than LOSS. */
  times?: number;
}

const LOSS = 0.005;
const TIMES = 2.5;

interface Measured {
  ndcg: number;
  first: number;
}

/**
 * Search by words alone and with the built-in embedder, through the API of the built processes: the same questions about the same
 * documents. `isHeldOut`: only the questions that nothing was tuned on, which are asked once, at the end.
 */
export async function run({ isHeldOut = false }: { isHeldOut?: boolean } = {}): Promise<void> {
  const database = await RestartablePostgres.start();
  const stack = await Stack.start({ dialers: 0, embedder: true, database, env: { LOG_LEVEL: 'fatal', ...WORDS } });
  try {
    const sets = isHeldOut ? await heldOutSets(stack) : await tuningSets(stack);
    const byWords = await measureAll(sets);
    for (const one of stack.processes.filter(({ role }) => role !== 'embedder')) await stack.retire(one);
    await Promise.all([stack.add('api', MEANING), stack.add('worker', MEANING)]);
    for (const client of new Set(sets.map((set) => set.client))) await vectorsOf(client);
    const byMeaning = await measureAll(sets);
    console.log(`\nSearch by words alone, and with the built-in embedder${isHeldOut ? ': held-out questions' : ''}`);
    const head = ['set', 'questions', 'nDCG@10 words', 'both', 'ratio', `first ${FIRST} words`, 'both', 'bar', 'held'];
    table(
      head,
      sets.map((set, at) => rowOf(set, byWords[at]!, byMeaning[at]!)),
    );
  } finally {
    await stack.stop();
  }
}

async function heldOutSets(stack: Stack): Promise<QuestionSet[]> {
  return setsOfKinds(stack, 'held-out');
}

async function tuningSets(stack: Stack): Promise<QuestionSet[]> {
  const sets: QuestionSet[] = [];
  if (testData === undefined) console.log('knowledge-meaning: without XQuAD, which is missing (TRUNKLINE_TEST_DATA)');
  else for (const language of LANGUAGES) sets.push(...(await paragraphSets(stack, language)));
  sets.push(...(await productSets(stack)), ...(await documentSets(stack)));
  return [...sets, ...(await setsOfKinds(stack, 'tuning'))];
}

/** Each paragraph is a text of one agent. */
async function paragraphSets(stack: Stack, language: string): Promise<QuestionSet[]> {
  const client = await clientOf(stack, `xquad-${language}`);
  const { paragraphs, questions } = questionsIn(language);
  const ids: number[] = [];
  for (const text of paragraphs) ids.push((await client.text('Article', text)).id);
  const all = questions.filter((_, at) => at % EVERY === 0);
  const setOf = (name: string, asked: { question: string; right: number }[]): QuestionSet => ({
    name,
    client,
    asked: asked.map(({ question, right }) => ({
      question,
      isRight: ({ knowledge_base_id: id }) => id === ids[right],
    })),
  });
  const own = setOf(`XQuAD ${language}`, all);
  if (language !== 'en') return [own];
  return [
    own,
    setOf('XQuAD en, without the rarest third of the words', withoutRarest(paragraphs, all)),
    setOf(
      'XQuAD en, in the words of callers',
      PARAPHRASES.map((one) => placed(paragraphs, one)),
    ),
    setOf(
      'XQuAD en, in other languages',
      CROSS_LANGUAGE.map((one) => placed(paragraphs, one)),
    ),
  ];
}

async function productSets(stack: Stack): Promise<QuestionSet[]> {
  const header = PRODUCT_HEADERS[0]!;
  const client = await clientOf(stack, 'products');
  await upload(client, 'products.csv', csvOf({ header, rows: PRODUCTS.map(({ cells }) => cells) }));
  const kinds = [
    { name: 'attributes', products: someProducts(100, 0), wordings: byAttributes, found: 0.95 },
    { name: 'article number', products: someProducts(50, 1), wordings: byArticleNumber, found: 1 },
    { name: 'model', products: someProducts(50, 2), wordings: byModel, found: 1 },
  ];
  return kinds.map(({ name, products, wordings, found }) => ({
    name: `rows by ${name}`,
    client,
    asked: products.map((one) => ({ question: wordings(one).question, isRight: isRowOf(header, one) })),
    found,
  }));
}

/** One agent has all documents. */
async function documentSets(stack: Stack): Promise<QuestionSet[]> {
  const client = await clientOf(stack, 'documents');
  const there = DOCUMENTS.filter(({ path }) => existsSync(fileOf(path)));
  for (const { path } of there) await upload(client, basename(path), readFileSync(fileOf(path)));
  const asked = there.flatMap(({ questions }) =>
    questions.map(({ question, answer }) => ({
      question,
      isRight: ({ text }: Passage) => holdsText(text, answer),
    })),
  );
  return [{ name: `${there.length} documents`, client, asked }];
}

/** Documents of five kinds, all of one agent. */
async function setsOfKinds(stack: Stack, half: 'tuning' | 'held-out'): Promise<QuestionSet[]> {
  const documents = documentsOfKinds();
  if (documents.length === 0) console.log('knowledge-meaning: without the documents of five kinds (BENCH_QUESTIONS)');
  const client = await clientOf(stack, 'kinds');
  for (const { name, content } of documents) await upload(client, name, content);
  const setOf = (name: string, file: QuestionFile, bars: Pick<QuestionSet, 'found' | 'times'>, kind?: string) => ({
    name,
    client,
    asked: questionsOfKinds(file)
      .filter((one) => kind === undefined || one.kind === kind)
      .map(({ question, document, answer }) => ({
        question,
        isRight: ({ source, text }: Passage) => source === document && holdsAnswer(text, answer),
      })),
    ...bars,
  });
  const kinds = [...new Set(questionsOfKinds(half).map(({ kind }) => kind))];
  const sets = [
    setOf(`five kinds of documents, ${half}`, half, { times: TIMES }),
    ...kinds.map((kind) => setOf(`  ${kind}`, half, { times: 0 }, kind)),
    setOf('rows of price lists by number', 'article-numbers', { found: 1 }),
    setOf('rows of price lists by attribute', 'rows-by-attribute', { found: 0.95 }),
  ];
  return sets.filter(({ asked }) => asked.length > 0);
}

/** Waits until a worker has added all vectors. */
async function vectorsOf(client: KnowledgeClient): Promise<void> {
  for (let page = 1, isLast = false; !isLast; page += 1) {
    const complete = await eventually(
      () => client.list({ page, per_page: PAGE }),
      (all) => all.every(({ vectors }) => vectors !== null && vectors.done === vectors.of),
      VECTORS_MS,
    );
    isLast = complete.length < PAGE;
  }
}

async function measureAll(sets: QuestionSet[]): Promise<Measured[]> {
  const measured: Measured[] = [];
  for (const set of sets) measured.push(await measure(set));
  return measured;
}

async function measure({ client, asked }: QuestionSet): Promise<Measured> {
  let [gain, first] = [0, 0];
  for (const { question, isRight } of asked) {
    const place = (await client.search(question, RANKED)).findIndex(isRight);
    if (place >= 0) gain += 1 / Math.log2(place + 2);
    if (place >= 0 && place < FIRST) first += 1;
  }
  return { ndcg: gain / asked.length, first: first / asked.length };
}

function rowOf({ name, asked, found, times }: QuestionSet, words: Measured, both: Measured): string[] {
  const [reached, least] =
    found !== undefined
      ? [both.first, found]
      : [both.ndcg, times === undefined ? words.ndcg - LOSS : words.ndcg * times];
  const ratio = words.ndcg === 0 ? '' : (both.ndcg / words.ndcg).toFixed(2);
  const numbers = [share(words.ndcg), share(both.ndcg), ratio, share(words.first), share(both.first)];
  if (times === 0) return [name, String(asked.length), ...numbers];
  const bar = `${found === undefined ? 'nDCG' : `first ${FIRST}`} >= ${share(least)}`;
  return [name, String(asked.length), ...numbers, bar, round(reached) >= round(least) ? 'yes' : 'NO'];
}

const round = (value: number): number => Math.round(value * 1_000) / 1_000;
const share = (value: number): string => value.toFixed(3).replace(/^0(?=\.)/, '');
