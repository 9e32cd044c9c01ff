import { extractorOf, parseInChildProcess, type Block, type DocumentProblem, type DocumentType } from '@app/knowledge';
import iconv from 'iconv-lite';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dataPath, testData } from '../test/support/test-data.js';
import { wordFile, wordParagraph } from '../test/support/word-file.js';
import { pagesOf, stripText, wordF1 } from './knowledge-pages.js';
import { articles } from './knowledge-texts.js';
import { table } from './table.js';

const ENCODINGS: [charset: string, language: string][] = [
  ['windows-1252', 'de'],
  ['windows-1251', 'ru'],
  ['koi8-r', 'ru'],
  ['cp866', 'ru'],
  ['iso-8859-5', 'ru'],
  ['maccyrillic', 'ru'],
  ['gbk', 'zh'],
  ['big5', 'zh'],
  ['windows-1256', 'ar'],
  ['iso-8859-6', 'ar'],
  ['windows-874', 'th'],
  ['utf-16le', 'ru'],
];
const SIZES = [200, 1_000, 8_000];
const SAMPLES = 40;
const LANGUAGES = ['en', 'de', 'ru', 'zh', 'ar', 'th'];
const MB = 1_000_000;

/** Quality and speed of the extraction from texts, pages and office documents. */
export async function run(): Promise<void> {
  if (testData === undefined) {
    console.log('Documents: skipped, no test data (see TRUNKLINE_TEST_DATA)');
    return;
  }
  const folder = mkdtempSync(join(tmpdir(), 'trunkline-documents-'));
  try {
    await charsets(folder);
    await pages(folder);
    await opened();
    await speeds(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Articles without their questions. */
const textsOf = (language: string): { title: string; paragraphs: string[] }[] =>
  articles(language).map(({ title, paragraphs }) => ({ title, paragraphs: paragraphs.map(({ text }) => text) }));

async function blocksOf(type: DocumentType, path: string): Promise<Block[]> {
  const blocks: Block[] = [];
  await (
    await extractorOf(type)
  )(path, (block) => void blocks.push(block));
  return blocks;
}

const textOf = (blocks: Block[]): string =>
  blocks.map((block) => (block.kind === 'row' ? block.cells.join(' ') : block.text)).join('\n');

async function extract(folder: string, type: DocumentType, bytes: Buffer | string): Promise<string> {
  const path = join(folder, `document.${type}`);
  writeFileSync(path, bytes);
  return textOf(await blocksOf(type, path));
}

/** Correct means the identical text as decoded from UTF-8. */
async function charsets(folder: string): Promise<void> {
  const total = SIZES.map(() => ({ right: 0, all: 0 }));
  const rows: string[][] = [];
  for (const [charset, language] of ENCODINGS) {
    const row = [`${charset} (${language})`];
    for (const [column, size] of SIZES.entries()) {
      const { right, all } = await charsetScore(folder, charset, samples(charset, language, size));
      row.push(`${right}/${all}`);
      total[column]!.right += right;
      total[column]!.all += all;
    }
    rows.push(row);
  }
  rows.push(['all', ...total.map(({ right, all }) => `${((100 * right) / all).toFixed(1)} %`)]);
  console.log('Encoding detection, texts decoded correctly (bar: 97 % at 1 KB)');
  table(['', ...SIZES.map((size) => `${size} B`)], rows);
}

async function charsetScore(folder: string, charset: string, texts: Buffer[]): Promise<{ right: number; all: number }> {
  let right = 0;
  for (const bytes of texts) {
    const expected = await extract(folder, 'txt', iconv.decode(bytes, charset));
    if ((await extract(folder, 'txt', bytes)) === expected) right++;
  }
  return { right, all: texts.length };
}

/** Texts restricted to the letters of the encoding, cut to size; pure ASCII texts are skipped. */
function samples(charset: string, language: string, size: number): Buffer[] {
  const whole = textsOf(language)
    .flatMap(({ paragraphs }) => paragraphs)
    .join('\n');
  const step = Math.floor((whole.length - 3 * size) / SAMPLES);
  return Array.from({ length: SAMPLES }, (_, index) => {
    const letters = Array.from(whole.slice(index * step, index * step + 3 * size));
    const known = letters.filter((letter) => iconv.decode(iconv.encode(letter, charset), charset) === letter);
    const bytes = iconv.encode(known.join(''), charset).subarray(0, size);
    return bytes.subarray(0, charset === 'utf-16le' ? size & ~1 : size);
  }).filter((bytes) => bytes.some((byte) => byte > 0x7f || byte === 0));
}

async function pages(folder: string): Promise<void> {
  const rows: string[][] = [];
  for (const language of LANGUAGES) {
    const made = pagesOf(textsOf(language).slice(0, 12));
    let [ours, stripped] = [0, 0];
    for (const { html, text } of made) {
      ours += wordF1(await extract(folder, 'html', html), text);
      stripped += wordF1(stripText(html), text);
    }
    rows.push([language, `${made.length}`, (ours / made.length).toFixed(3), (stripped / made.length).toFixed(3)]);
  }
  console.log('\nWeb pages, F1 over words (bar: 0.99)');
  table(['', 'pages', 'article', 'tags stripped'], rows);
}

async function opened(): Promise<void> {
  const rows: string[][] = [];
  for (const type of ['doc', 'docx'] as const) {
    const outcomes = new Map<string, number>();
    for (const path of filesOf(type)) {
      const outcome = await parseInChildProcess({ path, type }, { chunks: async () => undefined }).then(
        () => 'opened',
        (problem: DocumentProblem) => problem.code,
      );
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    }
    const refused = [...outcomes]
      .filter(([outcome]) => outcome !== 'opened')
      .map(([code, count]) => `${code} ${count}`);
    rows.push([type, `${outcomes.get('opened') ?? 0}/${filesOf(type).length}`, refused.join(', ')]);
  }
  console.log('\nOffice documents of the test data (bar: 59 of 66 DOC, 96 of 100 DOCX; the rest with an error code)');
  table(['', 'opened', 'the rest'], rows);
}

function filesOf(type: DocumentType): string[] {
  return ['made', 'real'].flatMap((folder) =>
    readdirSync(dataPath('documents', folder))
      .filter((name) => name.endsWith(`.${type}`))
      .map((name) => dataPath('documents', folder, name)),
  );
}

async function speeds(folder: string): Promise<void> {
  const paragraphs = textsOf('en').flatMap((article) => article.paragraphs);
  const long = Array.from({ length: 20 }, () => paragraphs).flat();
  const rows: string[][] = [];
  const measure = async (name: string, type: DocumentType, bytes: Buffer | string): Promise<void> => {
    const path = join(folder, `fast.${type}`);
    writeFileSync(path, bytes);
    await blocksOf(type, path);
    const before = performance.now();
    const characters = textOf(await blocksOf(type, path)).length;
    const seconds = (performance.now() - before) / 1000;
    const size = statSync(path).size / MB;
    rows.push([
      name,
      size.toFixed(1),
      (characters / MB).toFixed(1),
      (size / seconds).toFixed(1),
      (characters / MB / seconds).toFixed(1),
    ]);
  };
  await measure('txt', 'txt', long.join('\n\n'));
  await measure('txt, windows-1252', 'txt', iconv.encode(`größe ${long.join('\n\n')}`, 'windows-1252'));
  await measure('md', 'md', long.map((text, n) => `${n % 5 === 0 ? '## Part\n\n' : ''}${text}`).join('\n\n'));
  await measure(
    'csv',
    'csv',
    `id,name,text\n${long.map((text, n) => `${n},Name,"${text.replaceAll('"', '""')}"`).join('\n')}`,
  );
  await measure('html', 'html', pagesOf([{ title: 'Long', paragraphs: long.slice(0, 4_000) }])[0]!.html);
  await measure(
    'docx',
    'docx',
    wordFile({ body: long.map((text) => wordParagraph(text.replace(/[&<]/g, ''))).join('') }),
  );
  await measure('doc', 'doc', readFileOf('en_one.doc'));
  console.log('\nSpeed of extraction in this process');
  table(['', 'file MB', 'M chars', 'file MB/s', 'M chars/s'], rows);
}

const readFileOf = (name: string): Buffer => readFileSync(dataPath('documents', 'made', name));
