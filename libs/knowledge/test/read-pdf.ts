import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Block } from '../src/blocks.js';
import type { DocumentFacts } from '../src/extract/document-formats.js';
import { extractPdf } from '../src/extract/pdf/pdf.js';
import { type PdfItem, type PdfText, writtenPdf } from './written-pdf.js';

/** Writes a PDF with these pages and extracts it. */
export async function readPdf(pages: PdfItem[][]): Promise<{ blocks: Block[]; facts: DocumentFacts }> {
  const folder = await mkdtemp(join(tmpdir(), 'pdf-'));
  try {
    const path = join(folder, 'document.pdf');
    await writeFile(path, writtenPdf(pages));
    const blocks: Block[] = [];
    return { facts: await extractPdf(path, (block) => blocks.push(block)), blocks };
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Consecutive lines with the spacing of a text processor. */
export const linesAt = (x: number, y: number, texts: readonly string[], size = 12): PdfText[] =>
  texts.map((text, at) => ({ x, y: y + at * size * 1.2, text, size }));

/** Each block as a line: headings with their level, rows with ` | `. */
export const outline = (blocks: readonly Block[]): string[] =>
  blocks.map((block) => {
    if (block.kind === 'row') return block.cells.join(' | ');
    return block.kind === 'heading' ? `#${block.level} ${block.text}` : block.text;
  });
