import { execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { testData } from '../test/support/test-data.js';
import {
  madeDocuments,
  PDF_KINDS,
  printedDocuments,
  realDocuments,
  type PdfDocument,
} from './knowledge-pdf-documents.js';
import type { PdfReport } from './knowledge-pdf-subject.js';
import { table } from './table.js';

const ROUNDS = 5;

/** Compares our extractor with unpdf (speed, memory) and pdftotext (quality, order) on the same documents in one run. */
export async function run(): Promise<void> {
  const missing = ['chromium', 'pdftotext'].filter((program) => !isInstalled(program));
  if (testData === undefined) return console.log('  skipped: no test data (TRUNKLINE_TEST_DATA)');
  if (missing.length > 0) return console.log(`  skipped: not installed: ${missing.join(', ')}`);
  const folder = await mkdtemp(join(tmpdir(), 'pdfs-'));
  try {
    const documents = [...madeDocuments(), ...realDocuments(), ...(await printedDocuments(folder))];
    await compare(documents);
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function compare(documents: PdfDocument[]): Promise<void> {
  const paths = documents.map(({ path }) => path);
  const ours: PdfReport[] = [];
  const theirs: PdfReport[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    ours.push(await reportOf('trunkline', paths));
    theirs.push(await reportOf('unpdf', paths));
  }
  speeds(documents.length, ours, theirs);
  const poppler = await Promise.all(paths.map(pdftotext));
  qualities(documents, [ours[0]?.texts ?? [], theirs[0]?.texts ?? [], poppler]);
}

async function reportOf(extractor: string, paths: string[]): Promise<PdfReport> {
  const subject = new URL('./knowledge-pdf-subject.js', import.meta.url);
  const child = fork(subject, [extractor, ...paths], { serialization: 'advanced' });
  const [report] = (await Promise.race([once(child, 'message'), once(child, 'exit').then(failed)])) as [PdfReport];
  return report;
}

function failed([code]: unknown[]): never {
  throw new Error(`The extractor ended with ${String(code)}.`);
}

async function pdftotext(path: string): Promise<string> {
  const { stdout } = await promisify(execFile)('pdftotext', ['-enc', 'UTF-8', path, '-'], { maxBuffer: 2 ** 26 });
  return stdout;
}

function speeds(documents: number, ours: PdfReport[], theirs: PdfReport[]): void {
  const rows = [ours, theirs].map((reports) => ({
    seconds: median(reports.map(({ milliseconds }) => milliseconds)) / 1_000,
    peakMb: median(reports.map(({ peakMb }) => peakMb)),
  }));
  const [our, their] = rows as [(typeof rows)[0], (typeof rows)[0]];
  console.log(`${documents} PDFs, each extractor in a separate process, medians of ${ROUNDS} interleaved rounds`);
  table(
    ['', 'seconds', 'peak MB'],
    [['Trunkline', our] as const, ['unpdf', their] as const].map(([name, { seconds, peakMb }]) => [
      name,
      seconds.toFixed(2),
      peakMb.toFixed(0),
    ]),
  );
  console.log(
    `  ${(their.seconds / our.seconds).toFixed(2)}x the speed (bar 2), ${(our.peakMb / their.peakMb).toFixed(2)}x the memory (bar 0.8)`,
  );
}

function qualities(documents: PdfDocument[], texts: string[][]): void {
  console.log('  sentences found complete and in order');
  const shares = PDF_KINDS.map((kind) => texts.map((one) => shareOf(kind, documents, one)));
  table(
    ['', 'Trunkline', 'unpdf', 'pdftotext'],
    PDF_KINDS.map((kind, at) => [kind, ...(shares[at] ?? []).map((value) => `${(value * 100).toFixed(1)} %`)]),
  );
  const [ours = 0, , poppler = 0] = shares[PDF_KINDS.indexOf('two columns, word processor')] ?? [];
  const [hindi = 0] = shares[PDF_KINDS.indexOf('Hindi')] ?? [];
  console.log(
    `  word processor columns: ${(ours / poppler).toFixed(2)}x pdftotext (bar 2); Hindi: ${hindi.toFixed(3)} (bar 0.95)`,
  );
}

function shareOf(kind: PdfDocument['kind'], documents: PdfDocument[], texts: string[]): number {
  const own = documents.flatMap((document, at) =>
    document.kind === kind ? [[document, texts[at] ?? ''] as const] : [],
  );
  const found = sum(own.map(([document, text]) => inOrder(document, text)));
  return found / sum(own.map(([{ sentences }]) => sentences.length));
}

/** Number of sentences found in the text, each after the previous one. */
function inOrder({ sentences }: PdfDocument, text: string): number {
  const whole = comparable(text);
  let from = 0;
  let found = 0;
  for (const sentence of sentences.map(comparable)) {
    const at = whole.indexOf(sentence, from);
    if (at < 0) continue;
    from = at + sentence.length;
    found++;
  }
  return found;
}

/** Normalises white space: the reference has no line ends, and Chinese has no spaces. */
const comparable = (text: string): string => {
  const spaced = text.normalize('NFKC').replace(/\s+/g, ' ');
  return spaced.replace(
    /(?<=[\p{Script=Han}，。、；：？！“”‘’（）《》·]) | (?=[\p{Script=Han}，。、；：？！“”‘’（）《》·])/gu,
    '',
  );
};

const median = (values: number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;

const sum = (values: number[]): number => values.reduce((total, value) => total + value, 0);

const isInstalled = (program: string): boolean =>
  (process.env.PATH ?? '').split(delimiter).some((folder) => existsSync(join(folder, program)));
