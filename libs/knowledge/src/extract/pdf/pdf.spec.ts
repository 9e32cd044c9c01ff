import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type PdfText, writtenPdf } from '../../../test/written-pdf.js';
import type { Block } from '../../blocks.js';
import type { DocumentFacts } from '../document-formats.js';
import { extractPdf } from './pdf.js';

let folder: string;
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), 'pdf-'))));
afterAll(() => rm(folder, { recursive: true }));

type Page = Parameters<typeof writtenPdf>[0][number];

async function extract(pages: Page[], options?: { encrypted?: boolean; catalog?: string }) {
  return extractBytes(writtenPdf(pages, options));
}

async function extractBytes(bytes: Buffer): Promise<{ blocks: Block[]; facts: DocumentFacts }> {
  const path = join(folder, 'document.pdf');
  await writeFile(path, bytes);
  const blocks: Block[] = [];
  return { facts: await extractPdf(path, (block) => blocks.push(block)), blocks };
}

/** Consecutive lines with the spacing of a text processor. */
const lines = (x: number, y: number, texts: string[], size = 12): PdfText[] =>
  texts.map((text, at) => ({ x, y: y + at * size * 1.2, text, size }));

const texts = (blocks: Block[]): string[] =>
  blocks.map((block) => (block.kind === 'row' ? block.cells.join(' | ') : block.text));

const LEFT = [
  'Carriers hand a call from one network',
  'to the next until it reaches the phone',
  'that was dialled, and each of them may',
  'change what the caller has asked for in',
  'ways that only show at the other end.',
];
const RIGHT = [
  'A trunk is the line between two of these',
  'networks; it has a number of channels, so',
  'that no more calls than that can be held',
  'on it at once, and those that come later',
  'are refused with a cause of their own.',
];

/** In ems, of Helvetica; the others are 0.556 wide. */
const WIDTHS: Record<string, number> = {
  H: 0.722,
  O: 0.778,
  F: 0.611,
  ' ': 0.278,
  f: 0.278,
  l: 0.222,
  r: 0.333,
  y: 0.5,
};

/** Texts of 12 points beside each other; `^` raises a small one, `_` lowers it. */
const shifted = (y: number, ...parts: string[]): PdfText[] => {
  let x = 72;
  return parts.map((part) => {
    const isShifted = /^[\^_]/.test(part);
    const [text, size] = isShifted ? [part.slice(1), 7] : [part, 12];
    const item = { x, y: y + (part.startsWith('^') ? -5 : part.startsWith('_') ? 2 : 0), text, size };
    x += Array.from(text).reduce((sum, sign) => sum + (WIDTHS[sign] ?? 0.556) * size, 0);
    return item;
  });
};

describe('a raised or lowered number in a PDF', () => {
  it('keeps a boundary to the text before it', async () => {
    const { blocks } = await extract([
      [
        ...shifted(100, 'Only $12', '^99'),
        ...shifted(160, '10', '^6', ' of H', '_2', 'O'),
        ...shifted(220, 'Free', '^1', ' of charge'),
      ],
    ]);
    expect(texts(blocks)).toEqual(['Only $12.99', '10^6 of H2O', 'Free[1] of charge']);
  });
});

describe('a PDF whose pages are not the document', () => {
  it('fails as a dynamic form, which only asks to wait', async () => {
    const pages = [[{ x: 72, y: 100, text: 'Please wait...' }]];
    const form = '/AcroForm << /Fields [] /XFA (<xdp/>) >>';
    await expect(extract(pages, { catalog: `/NeedsRendering true ${form}` })).rejects.toMatchObject({
      code: 'UNSUPPORTED_FORMAT',
      sentence: expect.stringContaining('dynamic form (XFA)'),
    });
    expect(texts((await extract(pages, { catalog: form })).blocks)).toEqual(['Please wait...']);
  });

  it('fails as the cover sheet of attached documents', async () => {
    const catalog =
      '/Names << /EmbeddedFiles << /Names [(a.pdf) << /Type /Filespec /F (a.pdf) >>] >> >> /Collection << >>';
    const withText = (text: string) => extract([[{ x: 72, y: 100, size: 6, text }]], { catalog });
    for (const text of [
      'For the best experience, open this PDF portfolio in Acrobat X or Adobe Reader X, or later.',
      'Multiple files are bound together in this PDF Package.',
      'This PDF file is protected. To open it, use a PDF reader that supports Microsoft Information Protection.',
      'This message is protected with Microsoft Purview Information Protection.',
    ])
      await expect(withText(text)).rejects.toMatchObject({
        code: 'UNSUPPORTED_FORMAT',
        sentence: expect.stringContaining('cover sheet'),
      });
    for (const text of [
      'The price list is attached.',
      'This document is protected by copyright.',
      'How to create a PDF portfolio from several files.',
      'We use Microsoft Information Protection for all files.',
    ])
      expect(texts((await withText(text)).blocks)).toEqual([text]);
  });
});

describe('a PDF', () => {
  it('is read with headings by font size and paragraphs without line ends', async () => {
    const { blocks, facts } = await extract([
      [
        { x: 72, y: 72, text: 'The manual', size: 24 },
        { x: 72, y: 110, text: 'First steps', size: 16 },
        ...lines(72, 140, LEFT),
        { x: 72, y: 230, text: 'Second steps', size: 16 },
        ...lines(72, 260, RIGHT),
        { x: 72, y: 350, text: 'Remarks', bold: true },
        ...lines(72, 380, LEFT),
      ],
    ]);
    expect(blocks.map((block) => (block.kind === 'heading' ? `${block.level} ${block.text}` : block.kind))).toEqual([
      '1 The manual',
      '2 First steps',
      'paragraph',
      '2 Second steps',
      'paragraph',
      '3 Remarks',
      'paragraph',
    ]);
    expect(texts(blocks)[2]).toBe(LEFT.join(' '));
    expect(facts).toEqual({ pages: 1 });
    const whole = texts(blocks).join('\n');
    for (const { offset } of blocks) expect(whole[offset - 1] ?? '\n').toBe('\n');
  });

  it.each([
    ['column by column', [...lines(72, 100, LEFT), ...lines(330, 100, RIGHT)]],
    ['line by line', lines(72, 100, LEFT).flatMap((line, at) => [line, lines(330, 100, RIGHT)[at]!])],
    ['from the bottom up', [...lines(72, 100, LEFT), ...lines(330, 100, RIGHT)].toReversed()],
  ])('is read column by column, written %s', async (_, page) => {
    const { blocks } = await extract([page]);
    expect(texts(blocks).join(' ')).toBe([...LEFT, ...RIGHT].join(' '));
  });

  it('is read with paragraphs joined across pages, columns and hyphens', async () => {
    const { blocks } = await extract([
      lines(72, 700, ['The far end sends a provisional ans-', 'wer while the phone is ringing, and the']),
      lines(72, 72, ['caller hears what the network plays for it.']),
    ]);
    expect(texts(blocks).join('\n')).toMatch(
      /^The far end sends a provisional ans-?wer while the phone is ringing, and the caller hears/,
    );
    expect(blocks).toHaveLength(1);
    expect(blocks[0]?.page).toBe(1);
  });

  it('is read with tables as rows, including cells of several lines and a second page', async () => {
    const row = (y: number, ...cells: string[]): PdfText[] =>
      cells.map((text, at) => ({ x: [72, 250, 400][at]!, y, text }));
    const { blocks } = await extract([
      [
        ...lines(72, 100, LEFT),
        ...row(600, 'Plan', 'Minutes', 'Price'),
        ...row(625, 'Small', '100', '9.99'),
        ...row(650, 'Large, for teams', '2000', '49.00'),
        { x: 72, y: 664, text: 'of up to twenty' },
      ],
      [...row(72, 'Huge', '', '99.00'), ...row(97, 'Plan', 'Minutes', 'Price'), ...row(122, 'Giant', '9999', '199.00')],
    ]);
    const rows = blocks.flatMap((block) => (block.kind === 'row' ? [block] : []));
    expect(rows.map(({ cells, number, page }) => [cells.join(' | '), number, page])).toEqual([
      ['Small | 100 | 9.99', 1, 1],
      ['Large, for teams of up to twenty | 2000 | 49.00', 2, 1],
      ['Huge |  | 99.00', 3, 2],
      ['Giant | 9999 | 199.00', 4, 2],
    ]);
    expect(rows[0]?.table).toMatchObject({ header: ['Plan', 'Minutes', 'Price'], style: 'grid' });
    expect(new Set(rows.map(({ table }) => table)).size).toBe(1);
  });

  it('is read with one paragraph per list item', async () => {
    const { blocks } = await extract([
      [
        { x: 72, y: 100, text: '\u0095 the first, which is so long' },
        { x: 84, y: 115, text: 'that it needs two lines' },
        { x: 72, y: 130, text: '\u0095 the second' },
        { x: 72, y: 160, text: '1. one' },
        { x: 72, y: 175, text: '2. two' },
      ],
    ]);
    expect(texts(blocks)).toEqual([
      '- the first, which is so long that it needs two lines',
      '- the second',
      '1. one',
      '2. two',
    ]);
  });

  it('is read without repeated headers, footers and page numbers', async () => {
    const pages = [LEFT, RIGHT, LEFT, RIGHT].map((text, at) => [
      { x: 72, y: 30, text: 'Trunks for beginners', size: 10 },
      ...lines(72, 100 + at * 7, [...text, ...text]),
      { x: 300, y: 770, text: `Page ${at + 1} of 4`, size: 10 },
    ]);
    const all = texts((await extract(pages)).blocks).join(' ');
    expect(all).not.toMatch(/beginners|Page \d/);
    expect(all).toContain(LEFT.join(' '));
  });

  it('keeps repeated lines that are the greater part of the document', async () => {
    const { blocks } = await extract(
      Array.from({ length: 5 }, (_, at) => lines(72, 30, [`Certificate ${at} of merit`])),
    );
    expect(texts(blocks).join(' ')).toContain('Certificate 3 of merit');
  });

  it('reports the number of scanned pages and reads the others', async () => {
    const { facts } = await extract([['image'], lines(72, 100, LEFT), ['image'], []]);
    expect(facts).toEqual({ pages: 4, pagesWithoutText: 2 });
  });

  it.each([
    ['scanned', () => extract([['image'], ['image'], []]), 'NO_TEXT_SCANNED: 2 of 3 pages have no text'],
    ['blank', () => extract([[]]), 'EMPTY: '],
    ['encrypted', () => extract([lines(72, 72, LEFT)], { encrypted: true }), 'FILE_ENCRYPTED: '],
    ['truncated', () => extractBytes(writtenPdf([lines(72, 72, LEFT)]).subarray(0, 200)), 'FILE_CORRUPT: '],
    ['not a PDF', () => extractBytes(Buffer.from('%PDF-1.4 nothing')), 'FILE_CORRUPT: '],
    ['too long', () => extract(Array.from({ length: 2_001 }, () => [])), 'TOO_LARGE_EXPANDED: The PDF has 2001 pages'],
  ])('that is %s fails with its code', async (_, extraction, problem) => {
    await expect(extraction()).rejects.toMatchObject({ processingError: expect.stringContaining(problem) });
  });
});
