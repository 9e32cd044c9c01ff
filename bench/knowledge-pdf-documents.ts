import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { dataPath } from '../test/support/test-data.js';
import { hindiParagraphs } from './knowledge-pdf-hindi.js';
import { articles } from './knowledge-texts.js';

export const PDF_KINDS = [
  'one column',
  'two columns, word processor',
  'two columns, browser',
  'Arabic',
  'Hindi',
] as const;

/** A PDF and its sentences in order. */
export interface PdfDocument {
  name: string;
  /** Empty when the text of the document is unknown. */
  kind?: (typeof PDF_KINDS)[number];
  path: string;
  sentences: string[];
}

/** Written by a word processor, with tables and lists between the paragraphs. */
export function madeDocuments(): PdfDocument[] {
  const truth = JSON.parse(readFileSync(dataPath('documents', 'made', 'truth.json'), 'utf8')) as Record<
    string,
    [kind: string, text: string | string[]][]
  >;
  return Object.entries(truth).map(([name, items]) => ({
    name,
    kind: name.endsWith('two') ? 'two columns, word processor' : 'one column',
    path: dataPath('documents', 'made', `${name}.pdf`),
    sentences: items.flatMap(([kind, text]) => (kind === 'p' && typeof text === 'string' ? sentencesOf(text) : [])),
  }));
}

export const realDocuments = (): PdfDocument[] =>
  ['testJournalParser', 'testPDF_protected', 'testPDFVarious'].map((name) => ({
    name,
    path: dataPath('documents', 'real', `${name}.pdf`),
    sentences: [],
  }));

/** Printed by a browser: encyclopaedia articles in one and two columns, and a text in Hindi. */
export async function printedDocuments(folder: string): Promise<PdfDocument[]> {
  const documents: PdfDocument[] = [];
  for (const language of ['en', 'de', 'ru', 'zh', 'ar']) {
    const paragraphs = articles(language)
      .slice(0, 24)
      .flatMap((article) => article.paragraphs.map(({ text }) => text));
    for (const columns of [1, 2]) {
      const name = `${language}, printed, ${columns === 1 ? 'one' : 'two'}`;
      const kind = language === 'ar' ? 'Arabic' : columns === 1 ? 'one column' : 'two columns, browser';
      documents.push({
        name,
        kind,
        ...(await printed(folder, `${language}${columns}`, paragraphs, language, columns)),
      });
    }
  }
  const hindi = await printed(folder, 'hi', hindiParagraphs(), 'hi', 1);
  return [...documents, { name: 'Hindi, printed', kind: 'Hindi', ...hindi }];
}

async function printed(folder: string, file: string, paragraphs: string[], language: string, columns: number) {
  const html = join(folder, `${file}.html`);
  const path = join(folder, `${file}.pdf`);
  await writeFile(html, page(paragraphs, language, columns));
  const flags = [
    '--headless',
    '--no-sandbox',
    '--disable-gpu',
    '--no-pdf-header-footer',
    `--user-data-dir=${folder}/chromium`,
  ];
  await promisify(execFile)('chromium', [...flags, `--print-to-pdf=${path}`, `file://${html}`], { timeout: 120_000 });
  return { path, sentences: paragraphs.flatMap(sentencesOf) };
}

function page(paragraphs: string[], language: string, columns: number): string {
  const style = `body { font: 11px 'DejaVu Serif', 'Noto Sans', 'Noto Sans CJK SC'; text-align: justify; columns: ${columns}; column-gap: 24px }`;
  const body = paragraphs.map((text, at) => (at % 5 === 0 ? `<h2>${at / 5 + 1}</h2>` : '') + `<p>${escape(text)}</p>`);
  const direction = language === 'ar' ? 'rtl' : 'ltr';
  return `<!doctype html><html lang="${language}" dir="${direction}"><meta charset="utf-8"><style>${style}</style>${body.join('\n')}</html>`;
}

const escape = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

const sentencesOf = (text: string): string[] =>
  (text.match(/[^.!?。！？।؟]+[.!?。！？।؟]+/gu) ?? [])
    .map((sentence) => sentence.trim())
    .filter(({ length }) => length >= 20);
