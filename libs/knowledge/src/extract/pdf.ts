import { setImmediate as otherWork } from 'node:timers/promises';
import type { TakeBlock } from '../blocks.js';
import { DOCUMENT_CHARACTERS } from '../reading/limits.js';
import { DocumentProblem } from './document-problem.js';
import type { DocumentFacts, ExtractHints } from './extract.js';
import { blocksOf } from './pdf-blocks.js';
import { PdfFile, type PdfPage } from './pdf-file.js';

const MOST_PAGES = 2_000;

/**
 * The blocks of a PDF: paragraphs, headings by the size of their letters, tables where the gaps are clear, without repeated
 * headers and footers. Throws FILE_ENCRYPTED, FILE_CORRUPT, TOO_LARGE_EXPANDED (pages), TOO_MUCH_TEXT, NO_TEXT_SCANNED, EMPTY.
 */
export async function extractPdf(path: string, take: TakeBlock, hints?: ExtractHints): Promise<DocumentFacts> {
  const file = await PdfFile.open(path);
  try {
    return await extracted(file, take, hints);
  } finally {
    file.close();
  }
}

async function extracted(file: PdfFile, take: TakeBlock, hints?: ExtractHints): Promise<DocumentFacts> {
  if (file.pages > MOST_PAGES)
    throw new DocumentProblem('TOO_LARGE_EXPANDED', `The PDF has ${file.pages} pages; ${MOST_PAGES} are allowed.`);
  const pages = await readPages(file, hints?.onProgress);
  const pagesWithoutText = pages.filter((page) => page.drawn && !hasText(page)).length;
  if (!pages.some(hasText)) throw withoutText(pagesWithoutText, pages.length);
  for (const block of blocksOf(pages.map(({ pieces }) => pieces))) take(block);
  const { title } = file;
  return { pages: pages.length, ...(title && { title }), ...(pagesWithoutText > 0 && { pagesWithoutText }) };
}

async function readPages(file: PdfFile, onProgress?: ExtractHints['onProgress']): Promise<PdfPage[]> {
  const pages: PdfPage[] = [];
  let characters = 0;
  for (let number = 1; number <= file.pages; number++) {
    const page = file.page(number);
    characters += page?.pieces.reduce((sum, { text }) => sum + text.length, 0) ?? 0;
    if (characters > DOCUMENT_CHARACTERS) throw new DocumentProblem('TOO_MUCH_TEXT');
    // A damaged page is like an image: there is something that cannot be read.
    pages.push(page ?? { pieces: [], drawn: true });
    onProgress?.(number / file.pages);
    await otherWork();
  }
  return pages;
}

const hasText = ({ pieces }: PdfPage): boolean => pieces.some(({ text }) => /[\p{L}\p{N}]/u.test(text));

/** Nothing is drawn on a blank page: a document of these is empty rather than scanned. */
function withoutText(scanned: number, pages: number): DocumentProblem {
  if (scanned === 0) return new DocumentProblem('EMPTY');
  return new DocumentProblem('NO_TEXT_SCANNED', `${scanned} of ${pages} pages have no text: they are images.`);
}
