import { MarkdownTextSplitter, RecursiveCharacterTextSplitter } from '@langchain/textsplitters';
import { Chunker, chunkText, estimateTokens, toIndexedText, type Block, type Chunk } from '@app/knowledge';
import { getEncoding } from 'js-tiktoken';
import { testData } from '../test/support/test-data.js';
import { answeredShare, type Passage } from './knowledge-answers.js';
import {
  csvOf,
  damageOf,
  markdownTable,
  priceList,
  TABLES,
  type MadeTable,
  type TableDamage,
} from './knowledge-tables.js';
import { articles, markdownOf } from './knowledge-texts.js';
import { table } from './table.js';

const LANGUAGES = ['en', 'de', 'ru', 'zh', 'th', 'ar'];
const ROUNDS = 5;
/** Repetitions of the English text in the speed measurement. */
const TIMES = 12;
const MB = 1_000_000;
const ROOM_TOKENS = 600;

const encoding = getEncoding('o200k_base');
const encode = (text: string): number[] => encoding.encode(text);
const TOKENIZER = { encode: remembered(encode), decode: (tokens: number[]) => encoding.decode(tokens) };

interface Splitter {
  name: string;
  markdown(text: string, title: string): Promise<Passage[]>;
  csv(made: MadeTable): Promise<string[]>;
}

/** Compares the chunker with LangChain's splitters in their tutorial configuration, on the same texts in one run. */
export async function run(): Promise<void> {
  if (testData === undefined) {
    console.log('Chunks: skipped, no test data (see TRUNKLINE_TEST_DATA)');
    return;
  }
  await compareSplitters();
  compareTokens();
  measureHardSplit();
  measureChanges();
}

const SIZES = { chunkSize: 1_000, chunkOverlap: 200 };
const SPLITTERS: Splitter[] = [
  { name: 'Trunkline', markdown: trunklinePassages, csv: trunklineRecords },
  langChain('LangChain recursive 1000/200', new RecursiveCharacterTextSplitter(SIZES)),
  langChain('LangChain Markdown 1000/200', new MarkdownTextSplitter(SIZES)),
];

function langChain(name: string, splitter: RecursiveCharacterTextSplitter): Splitter {
  return {
    name,
    markdown: async (text) => (await splitter.splitText(text)).map((passage) => ({ text: passage, indexed: passage })),
    csv: (made) => splitter.splitText(csvOf(made)),
  };
}

async function trunklinePassages(text: string, title: string): Promise<Passage[]> {
  return (await chunkText(text)).map((chunk) => ({ text: chunk.text, indexed: toIndexedText(chunk, title) }));
}

async function trunklineRecords({ header, rows }: MadeTable): Promise<string[]> {
  const records = { header, style: 'record' as const };
  return cut(rows.map((cells, n): Block => ({ kind: 'row', table: records, cells, number: n + 1, offset: n }))).map(
    ({ text }) => text,
  );
}

function cut(blocks: Block[]): Chunk[] {
  const chunker = new Chunker();
  return [...blocks.flatMap((block) => chunker.add(block)), ...chunker.end()];
}

async function compareSplitters(): Promise<void> {
  const speeds = await speedsOf(SPLITTERS);
  const rows = [];
  for (const [n, splitter] of SPLITTERS.entries()) {
    const bars = n === 0 ? 'no headerless table, no broken row, >= 20 MB/s, answers >= the others' : '';
    rows.push([splitter.name, ...(await qualityOf(splitter)), speeds[n]!.toFixed(1), bars]);
  }
  console.log(
    `Chunks of XQuAD en (48 articles) and ${TABLES} price lists; MB per CPU second: median of ${ROUNDS} interleaved rounds`,
  );
  table(
    [
      '',
      'chunks',
      'mid-sentence',
      'answered',
      'Markdown headerless',
      'broken',
      'CSV headerless',
      'broken',
      'MB/s',
      'bar',
    ],
    rows,
  );
}

async function qualityOf(splitter: Splitter): Promise<string[]> {
  const passages: Passage[] = [];
  let midSentence = 0;
  for (const article of articles('en')) {
    const text = markdownOf(article);
    const found = await splitter.markdown(text, article.title);
    passages.push(...found);
    midSentence += midSentenceStarts(text, found);
  }
  const questions = articles('en').flatMap(({ paragraphs }) => paragraphs.flatMap((paragraph) => paragraph.questions));
  const answered = answeredShare(passages, questions, ROOM_TOKENS, TOKENIZER);
  return [
    String(passages.length),
    percent(midSentence / passages.length),
    percent(answered),
    ...(await damageIn((made) =>
      splitter.markdown(markdownTable(made), '').then((all) => all.map(({ text }) => text)),
    )),
    ...(await damageIn((made) => splitter.csv(made))),
  ];
}

/** Passages that begin neither after the end of a sentence nor at the start of a line. */
function midSentenceStarts(source: string, passages: Passage[]): number {
  let from = 0;
  return passages.filter(({ text }) => {
    const at = source.indexOf(text.slice(0, 50), from);
    if (at < 0) throw new Error('A passage was not found in its source');
    from = at + 1;
    return !/(?:^|\n|[.!?…]["'”’)\]]*)\s*$/.test(source.slice(Math.max(0, at - 8), at));
  }).length;
}

async function damageIn(split: (made: MadeTable) => Promise<string[]>): Promise<string[]> {
  const damages: TableDamage[] = [];
  for (let number = 0; number < TABLES; number++) {
    const made = priceList(number);
    damages.push(damageOf(await split(made), made));
  }
  const sum = (key: 'passages' | 'headerless' | 'rows' | 'broken') =>
    damages.reduce((total, damage) => total + damage[key], 0);
  return [`${sum('headerless')} of ${sum('passages')}`, `${sum('broken')} of ${sum('rows')}`];
}

/** MB per second of CPU time from the text to the passages; elapsed time is unreliable on a busy machine. */
async function speedsOf(splitters: Splitter[]): Promise<number[]> {
  const text = articles('en').map(markdownOf).join('\n').repeat(TIMES);
  const seconds = splitters.map((): number[] => []);
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [n, splitter] of splitters.entries()) {
      const start = process.cpuUsage();
      await splitter.markdown(text, '');
      const { user, system } = process.cpuUsage(start);
      // The first round warms the JIT.
      if (round > 0) seconds[n]!.push((user + system) / 1_000_000);
    }
  }
  return seconds.map((all) => Buffer.byteLength(text) / MB / median(all));
}

function compareTokens(): void {
  const rows = LANGUAGES.map((language) => {
    const texts = articles(language).flatMap(({ paragraphs }) => paragraphs.map(({ text }) => text));
    const estimated = sumOf(texts.map(estimateTokens));
    const exact = sumOf(texts.map((text) => encode(text).length));
    const quarter = sumOf(texts.map((text) => text.length / 4));
    return [language, exact, estimated, (estimated / exact).toFixed(2), (quarter / exact).toFixed(2), '0.80 to 1.20'];
  });
  console.log('\nTokens of XQuAD, against o200k_base of js-tiktoken');
  table(
    ['', 'exact', 'estimate', 'estimate / exact', 'characters/4 / exact', 'bar'],
    rows.map((row) => row.map(String)),
  );
}

function measureHardSplit(): void {
  const start = performance.now();
  const chunks = cut([{ kind: 'paragraph', text: 'a'.repeat(10 * MB), offset: 0 }]);
  const seconds = (performance.now() - start) / 1_000;
  console.log(`\n10 MB without a space: ${chunks.length} chunks in ${seconds.toFixed(2)} s (bar: 2 s)`);
}

/** Chunks that must be embedded again after a change of one paragraph of 200. */
function measureChanges(): void {
  const rows = LANGUAGES.map((language) => {
    const paragraphs = articles(language)
      .flatMap((article) => article.paragraphs.map(({ text }) => text))
      .slice(0, 200);
    const before = new Set(textsOf(paragraphs));
    const counts = paragraphs.map((text, n) => {
      const after = textsOf(paragraphs.with(n, `${text} One more sentence.`));
      return after.filter((chunk) => !before.has(chunk)).length;
    });
    return [language, before.size, (sumOf(counts) / counts.length).toFixed(2), Math.max(...counts), 'a few'].map(
      String,
    );
  });
  console.log('\nA changed paragraph of 200: chunks that differ');
  table(['', 'chunks', 'mean', 'most', 'bar'], rows);
}

const textsOf = (paragraphs: string[]): string[] =>
  cut(paragraphs.map((text): Block => ({ kind: 'paragraph', text, offset: 0 }))).map(({ text }) => text);

const sumOf = (numbers: number[]): number => numbers.reduce((sum, number) => sum + number, 0);
const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;
const median = (values: number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;

function remembered(encode: (text: string) => number[]): (text: string) => number[] {
  const known = new Map<string, number[]>();
  return (text) => {
    const found = known.get(text) ?? encode(text);
    known.set(text, found);
    return found;
  };
}
