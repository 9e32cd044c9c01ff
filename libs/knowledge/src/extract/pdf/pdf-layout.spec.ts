import { describe, expect, it } from '@jest/globals';
import { linesAt, outline, readPdf } from '../../../test/read-pdf.js';
import type { PdfItem } from '../../../test/written-pdf.js';

const TEXT = [
  'A trunk is the line between two networks, and it',
  'has a number of channels, so that no more calls',
  'than that can be held at once; those that come',
  'later are refused with a cause, and the caller',
  'hears the tone that belongs to it for a while.',
];

const read = async (...pages: PdfItem[][]): Promise<string[]> => outline((await readPdf(pages)).blocks);

/** Different text on each page, and at another height. */
const body = (page: number): PdfItem[] =>
  linesAt(
    72,
    110 + (page % 5) * 6,
    [...TEXT, ...TEXT, ...TEXT].map(
      (line, at) => `${line.slice(0, 30)} ${page * 31 + at} ${'abcdefghij'[at % 10]}${line.slice(30)}`,
    ),
  );

describe('headings of a PDF', () => {
  it('are larger than the median of all characters, not than the most frequent size', async () => {
    // Most lines, but not most characters, are in small type, and the text has sizes that differ by a little.
    const notes = Array.from({ length: 40 }, (_, at) => ({ x: 72, y: 420 + at * 8, text: `${at}. cf.`, size: 6 }));
    const blocks = await read([
      { x: 72, y: 60, text: 'Channels', size: 16 },
      ...linesAt(72, 90, TEXT, 10),
      ...linesAt(72, 170, ['The trunk is free.'], 10.3),
      ...linesAt(72, 200, TEXT, 9.8),
      ...notes,
    ]);
    expect(blocks.filter((block) => block.startsWith('#'))).toEqual(['#1 Channels']);
  });

  it.each([
    ['single letters', 'A'],
    ['numbers', '12,5'],
    ['prices', '49.99 EUR'],
    ['addresses', 'info@example.com'],
    ['contents entries', 'Installation . . . . . . . . . . 12'],
    [
      'long sentences',
      'All of our plans include calls to every network of the country at no charge, at any time of the day.',
    ],
  ])('are no %s in large type', async (_, text) => {
    const blocks = await read([{ x: 72, y: 60, text, size: 18 }, ...linesAt(72, 100, TEXT)]);
    expect(blocks.filter((block) => block.startsWith('#'))).toEqual([]);
  });

  it('are not labels of a figure: many large words without text between them', async () => {
    const labels = ['Pump', 'Valve', 'Filter', 'Motor', 'Switch', 'Plug'].map((text, at) => ({
      x: 72 + at * 70,
      y: 100 + at * 50,
      text,
      size: 15,
    }));
    const blocks = await read([
      ...labels,
      ...linesAt(72, 450, TEXT),
      { x: 72, y: 560, text: 'Care', size: 15 },
      ...linesAt(72, 590, TEXT),
    ]);
    expect(blocks.filter((block) => block.startsWith('#'))).toEqual(['#1 Care']);
  });

  it('are bold lines above a text, and no bold words below it or at the end', async () => {
    const blocks = await read([
      ...linesAt(72, 100, TEXT),
      { x: 72, y: 190, text: 'Remarks', bold: true },
      ...linesAt(72, 215, TEXT),
      ...linesAt(72, 315, TEXT),
      { x: 72, y: 410, text: 'Important', bold: true },
    ]);
    expect(blocks.filter((block) => block.startsWith('#'))).toEqual(['#1 Remarks']);
  });
});

describe('running lines of a PDF', () => {
  it('are removed with the name of each chapter, on odd and even pages, with arabic and roman numbers', async () => {
    const roman = ['i', 'ii', 'iii', 'iv', 'v', 'vi'];
    const pages = Array.from({ length: 24 }, (_, at) => [
      {
        x: 72,
        y: 40,
        text:
          at % 2 === 0
            ? `Chapter ${at >> 2}: ${['Trunks', 'Numbers', 'Agents', 'Tools', 'Calls', 'Hooks'][at >> 2]}`
            : 'The handbook',
        size: 9,
      },
      ...body(at),
      { x: at % 2 === 0 ? 500 : 72, y: 760, text: roman[at] ?? String(at - 5), size: 9 },
    ]);
    const text = (await read(...pages)).join('\n');
    expect(text).not.toMatch(/Chapter|handbook|\bxi*v?\b|^\d+$/m);
    expect(text.match(/A trunk is the line/g)).toHaveLength(72);
  });

  it('are removed with page numbers on two pages', async () => {
    const pages = [0, 1].map((at) => [...body(at), { x: 280, y: 760, text: `Page ${at + 1} of 2`, size: 9 }]);
    expect((await read(...pages)).join('\n')).not.toMatch(/Page/);
  });

  it('are removed in large type except for the first: it is the title', async () => {
    const pages = Array.from({ length: 6 }, (_, at) => [
      { x: 72, y: 50, text: 'Warranty terms', size: 18 },
      ...body(at),
    ]);
    expect((await read(...pages)).filter((line) => line.includes('Warranty'))).toEqual(['#1 Warranty terms']);
  });

  it('are not the first lines of pages whose text begins at the same height', async () => {
    const pages = Array.from({ length: 8 }, (_, at) =>
      linesAt(
        72,
        60,
        TEXT.map((line) => `${line.slice(0, 20)}${'stuvwxyz'[at]}${at} ${line.slice(20)}`),
      ),
    );
    expect((await read(...pages)).join(' ').match(/A trunk is the line/g)).toHaveLength(8);
  });

  it('stay if a document of two pages consists of them', async () => {
    const page: PdfItem[] = [
      { x: 72, y: 60, text: 'Voucher for one coffee' },
      { x: 72, y: 80, text: 'Valid until May' },
    ];
    expect((await read(page, page)).join(' ')).toContain('Voucher for one coffee');
  });
});

const PROSE = [
  'Carriers hand a call from',
  'one network to the next',
  'until it reaches the phone',
  'that was dialled, and each',
  'of them may change what',
  'the caller has asked for.',
  'Some of these changes are',
  'wanted by both ends, but',
  'others only show later',
  'when the bill arrives and',
  'nobody can explain why',
  'the call was so long.',
  'It helps to write down',
  'which of the ends asked',
  'for the change, and when',
  'it was confirmed by the',
  'other one; a trace of the',
  'signalling has both times.',
];

describe('columns of a PDF', () => {
  it.each([2, 3])('of prose are read one after the other if they were written across: %i columns', async (count) => {
    const columns = Array.from({ length: count }, (_, at) =>
      linesAt(60 + at * 170, 100, PROSE.slice(at * 6, at * 6 + 6)),
    );
    const across = columns[0]!.flatMap((_, line) => columns.map((column) => column[line]!));
    const expected = PROSE.slice(0, count * 6).join(' ');
    expect((await read(across)).join(' ')).toBe(expected);
    expect((await read(columns.flat())).join(' ')).toBe(expected);
  });

  it('of a table stay rows', async () => {
    const rows = [
      ['Model', 'Use in the household', 'Price'],
      ['BO26232', 'Boiler for small kitchens', '199 EUR'],
      ['KT11', 'Kettle for two persons', '39 EUR'],
      ['TO900', 'Toaster with four slots', '59 EUR'],
      ['FR2', 'Freezer for the basement', '499 EUR'],
      ['WM77', 'Washing machine, quiet', '699 EUR'],
    ];
    const items = rows.flatMap((cells, row) =>
      cells.map((text, at) => ({ x: [60, 230, 430][at]!, y: 100 + row * 15, text })),
    );
    expect(await read(items)).toEqual(rows.slice(1).map((cells) => cells.join(' | ')));
  });

  it('of a table of contents are entries without dots', async () => {
    const entries = ['Installation', 'Maintenance', 'Spare parts', 'Warranty'].flatMap((text, at) => [
      { x: 72, y: 100 + at * 15, text: `${text} ${'.'.repeat(60)}` },
      { x: 500, y: 100 + at * 15, text: String(at * 7 + 3) },
    ]);
    expect(await read(entries)).toEqual(['Installation … 3', 'Maintenance … 10', 'Spare parts … 17', 'Warranty … 24']);
  });

  it('from top to bottom are read from right to left', async () => {
    const columns = ['本製品をお使いになる前に', 'この取扱説明書をよくお読', 'みください。保証期間は一', '年間です。'];
    const items = columns.map((text, at) => ({ x: 400 - at * 20, y: 100, glyphs: Array.from(text), down: true }));
    expect(await read(items)).toEqual([columns.join('')]);
    const single = columns.flatMap((text, at) =>
      Array.from(text).map((glyph, row) => ({ x: 400 - at * 20, y: 100 + row * 13, glyphs: [glyph] })),
    );
    const number = { x: 300, y: 750, glyphs: Array.from('第十二頁目次') };
    expect(await read([...single, number])).toEqual([columns.join(''), '第十二頁目次']);
  });
});

describe('glyphs of a PDF without a character', () => {
  it('are left out of the text and counted', async () => {
    const { blocks, facts } = await readPdf([
      [...linesAt(72, 100, TEXT), { x: 72, y: 300, glyphs: ['\ue123', 'a', '\ufffd', 'b', '\uf0b7'] }],
    ]);
    expect(facts.unreadable).toBe(2);
    expect(outline(blocks).join(' ')).not.toMatch(/[\ue000-\uf8ff\ufffd]/);
  });
});

describe('text that a PDF draws twice', () => {
  const word = (x: number, y: number, text: string): PdfItem => ({ x, y, text });

  it.each<[string, PdfItem[]]>([
    ['as a shadow', [word(73, 101, 'A balloon in the book'), word(72, 100, 'A balloon in the book')]],
    ['to look bold', [word(72, 100, 'A balloon in the book'), word(72.4, 100, 'A balloon in the book')]],
    [
      'word by word',
      ['A balloon', 'in the', 'book'].flatMap((text, at) => [
        word([72, 128, 160][at]!, 100, text),
        word([72.4, 128.4, 160.4][at]!, 100, text),
      ]),
    ],
    [
      'letter by letter',
      Array.from('hoodoo').flatMap((text, at) => [word(72 + at * 6.67, 100, text), word(72.4 + at * 6.67, 100, text)]),
    ],
  ])('is read once: %s', async (_, items) => {
    const text = (await read([...items, ...linesAt(72, 200, TEXT)]))[0];
    expect(text).toMatch(/^(?:A balloon in the book|hoodoo)$/);
  });

  it('is kept if different texts are drawn over each other, and if a line is repeated below', async () => {
    const text = (
      await read([
        word(72, 100, 'Text the first time'),
        word(72, 100, 'Text the second time'),
        word(72, 130, 'Text the first time'),
      ])
    ).join(' ');
    expect(text.match(/Text the first time/g)).toHaveLength(2);
    expect(text).toContain('Text the second time');
  });
});
