import { describe, expect, it } from '@jest/globals';
import { type Block, type Chunk, toIndexedText, type Table } from '../blocks.js';
import { Chunker } from './chunker.js';

const chunksOf = (blocks: Block[]): Chunk[] => {
  const chunker = new Chunker();
  return [...blocks.flatMap((block) => chunker.add(block)), ...chunker.end()];
};

/** Consecutive blocks, separated by an empty line. */
function documentOf(...parts: [1 | 2 | 3 | 'p', string][]): Block[] {
  let offset = 0;
  return parts.map(([kind, text]): Block => {
    const at = offset;
    offset += text.length + 2;
    return kind === 'p' ? { kind: 'paragraph', text, offset: at } : { kind: 'heading', level: kind, text, offset: at };
  });
}

const rowsOf = (table: Table, rows: string[][]): Block[] =>
  rows.map((cells, n) => ({ kind: 'row', table, cells, number: n + 1, offset: n * 100 }));

/** About 1.1 tokens a word. */
const words = (count: number, word = 'word'): string =>
  Array.from({ length: count }, (_, n) => `${word}${'abcdefgh'[n % 8]}`).join(' ');
const sentences = (count: number): string =>
  Array.from({ length: count }, (_, n) => `Sentence ${n} says ${words(12)}.`).join(' ');

describe('the chunker', () => {
  it('stores headings separately, as the path of the text below them', () => {
    const chunks = chunksOf(documentOf([1, 'Rooms'], [2, 'Prices'], ['p', words(150)], [2, 'Pets'], ['p', words(200)]));
    expect(chunks.map(({ headingPath, ordinal }) => [ordinal, ...headingPath])).toEqual([
      [0, 'Rooms', 'Prices'],
      [1, 'Rooms', 'Pets'],
    ]);
    expect(chunks.map(({ text }) => text)).toEqual([words(150), words(200)]);
    expect(toIndexedText(chunks[0]!, 'Hotel')).toBe(`Hotel > Rooms > Prices\n\n${words(150)}`);
  });

  it('merges small sections under one heading and keeps their headings in the text', () => {
    const small = documentOf(
      [1, 'FAQ'],
      [2, 'Pets?'],
      ['p', 'Yes.'],
      [2, 'Parking?'],
      ['p', 'No.'],
      [1, 'Press'],
      ['p', 'Call us.'],
    );
    expect(chunksOf(small)).toMatchObject([
      { headingPath: ['FAQ'], text: 'Pets?\n\nYes.\n\nParking?\n\nNo.', start: 5 },
      { headingPath: ['Press'], text: 'Call us.' },
    ]);
  });

  it('does not mix small sections of different parents', () => {
    const chunks = chunksOf(documentOf([1, 'A'], [2, 'A1'], ['p', 'One.'], [1, 'B'], [2, 'B1'], ['p', 'Two.']));
    expect(chunks.map(({ headingPath, text }) => [...headingPath, text])).toEqual([
      ['A', 'A1', 'One.'],
      ['B', 'B1', 'Two.'],
    ]);
  });

  it('attaches a heading without a text to the next section', () => {
    const chunks = chunksOf(
      documentOf([1, 'Guide'], [2, 'Coming soon'], [2, 'Fees'], ['p', words(300)], [2, 'The end']),
    );
    expect(chunks).toMatchObject([
      { headingPath: ['Guide', 'Fees'], text: `Coming soon\n\n${words(300)}` },
      { headingPath: [], text: 'The end' },
    ]);
  });

  it('fills chunks with whole paragraphs up to the target', () => {
    const chunks = chunksOf(documentOf(...Array.from({ length: 12 }, (): ['p', string] => ['p', words(80)])));
    expect(chunks.map(({ text }) => text)).toEqual(
      Array.from({ length: 4 }, () => Array(3).fill(words(80)).join('\n\n')),
    );
  });

  it('splits only paragraphs that are too long, between sentences, and repeats one sentence', () => {
    const text = sentences(60);
    const chunks = chunksOf(documentOf(['p', text]));
    expect(chunks.length).toBeGreaterThan(3);
    for (const chunk of chunks) {
      expect(text.slice(chunk.start, chunk.end)).toBe(chunk.text);
      expect(chunk.text).toMatch(/^Sentence \d+ says/);
    }
    const firsts = chunks.slice(1).map((chunk) => chunk.text.slice(0, chunk.text.indexOf('.') + 1));
    const lasts = chunks.slice(0, -1).map((chunk) => chunk.text.slice(chunk.text.lastIndexOf('Sentence')));
    expect(firsts).toEqual(lasts);
  });

  it('appends a tiny remainder to the previous chunk', () => {
    const chunks = chunksOf(documentOf(['p', words(280)], ['p', 'A last word.']));
    expect(chunks.map(({ text }) => text)).toEqual([`${words(280)}\n\nA last word.`]);
  });

  it('keeps each list item on its own line', () => {
    expect(chunksOf(documentOf(['p', 'We bring:'], ['p', '- a pump'], ['p', '- a hose']))[0]?.text).toBe(
      'We bring:\n- a pump\n- a hose',
    );
  });

  it('reports the page of the first block', () => {
    const blocks = documentOf(['p', 'One.'], ['p', 'Two.']).map((block, n) => ({ ...block, page: 7 + n }));
    expect(chunksOf(blocks)).toMatchObject([{ page: 7 }]);
  });

  it('replaces NUL, which PostgreSQL rejects', () => {
    expect(chunksOf(documentOf(['p', 'a\0b']))[0]?.text).toBe('a b');
  });
});

describe('the chunker with tables', () => {
  const people = Array.from({ length: 100 }, (_, n) => [`Person ${n}`, `${n} Long Street`, '']);

  it('makes each record a chunk with the column name of each cell', () => {
    const chunks = chunksOf(rowsOf({ style: 'record', header: ['Name', 'Street', 'Phone'] }, people));
    expect(chunks).toHaveLength(100);
    expect(chunks[7]).toMatchObject({
      text: 'Name: Person 7\nStreet: 7 Long Street',
      rows: { first: 8, last: 8 },
      table: 1,
    });
    expect(chunks[7]).not.toHaveProperty('headerLength');
  });

  it('makes each row of a grid a chunk below the header line', () => {
    const grid: Table = { style: 'grid', header: ['Name', 'Street', 'Phone'] };
    const chunks = chunksOf(rowsOf(grid, people));
    expect(chunks).toHaveLength(100);
    const [header, row] = ['Name | Street | Phone\n', 'Person 7 | 7 Long Street | '];
    expect(chunks[7]).toMatchObject({ text: header + row, rows: { first: 8, last: 8 }, headerLength: header.length });
  });

  it('writes rows without column names as plain lines', () => {
    const grid: Table = { style: 'grid', header: ['', ''] };
    expect(chunksOf(rowsOf(grid, [['Sat', '10-14']]))).toMatchObject([{ text: 'Sat | 10-14', headerLength: 0 }]);
  });

  it('keeps text around a table separate and marks the text above it and a short note below it as its own', () => {
    const grid: Table = { style: 'grid', header: ['Day', 'Hours'] };
    const [heading, intro, note, end] = documentOf(
      [1, 'Visit'],
      ['p', 'We are open:'],
      ['p', 'Closed on holidays.'],
      ['p', words(100)],
    );
    const hours = rowsOf(grid, [
      ['Sat', '10-14'],
      ['Sun', 'closed'],
    ]);
    const shown = (blocks: Block[]) =>
      chunksOf(blocks).map(({ headingPath, text, table }) => [headingPath.join(), text, table]);
    expect(shown([heading!, intro!, ...hours, note!])).toEqual([
      ['Visit', 'We are open:', 1],
      ['Visit', 'Day | Hours\nSat | 10-14', 1],
      ['Visit', 'Day | Hours\nSun | closed', 1],
      ['Visit', 'Closed on holidays.', 1],
    ]);
    expect(shown([heading!, ...hours, end!]).at(-1)).toEqual(['Visit', words(100), undefined]);
    expect(shown([heading!, ...hours, note!, ...rowsOf({ ...grid }, [['Mon', '9-17']])]).slice(2)).toEqual([
      ['Visit', 'Closed on holidays.', 2],
      ['Visit', 'Day | Hours\nMon | 9-17', 2],
    ]);
  });

  it('keeps small sections apart from a table that follows them', () => {
    const small = documentOf([1, 'FAQ'], [2, 'Pets?'], ['p', 'Yes.'], [2, 'Prices']);
    const rows = rowsOf({ style: 'grid', header: ['Room', 'Price'] }, [['Single', '80']]);
    const after = documentOf([2, 'Parking?'], ['p', 'No.']);
    expect(chunksOf([...small, ...rows, ...after])).toMatchObject([
      { headingPath: ['FAQ', 'Pets?'], text: 'Yes.' },
      { headingPath: ['FAQ', 'Prices'], text: 'Room | Price\nSingle | 80', table: 1 },
      { headingPath: ['FAQ', 'Parking?'], text: 'No.' },
    ]);
  });

  it('includes the header in the offsets of the first chunk', () => {
    const grid: Table = { style: 'grid', header: ['Name'], offset: 3 };
    const [row] = rowsOf(grid, [['Ann']]);
    expect(chunksOf([{ ...row!, offset: 20, length: 9 }])).toMatchObject([{ start: 3, end: 29 }]);
  });

  it('splits a row that is too long between cells and repeats its first cell', () => {
    const cells = ['key-1', ...Array.from({ length: 30 }, (_, n) => `${n} ${words(30)}`)];
    const header = ['Id', ...cells.slice(1).map((_, n) => `Column ${n}`)];
    const chunks = chunksOf(rowsOf({ style: 'record', header }, [cells]));
    expect(chunks.length).toBeGreaterThan(3);
    for (const { text, rows } of chunks) {
      expect(text).toMatch(/^Id: key-1\nColumn \d+: /);
      expect(rows).toEqual({ first: 1, last: 1 });
    }
    expect(chunks.flatMap(({ text }) => text.split('\n').slice(1))).toEqual(
      cells.slice(1).map((cell, n) => `Column ${n}: ${cell}`),
    );
  });

  it('names the column in each part of a cell that is too long', () => {
    const chunks = chunksOf(rowsOf({ style: 'grid', header: ['Id', 'Story'] }, [['7', words(1_000)]]));
    expect(chunks.length).toBeGreaterThan(3);
    for (const { text } of chunks) expect(text).toMatch(/^Id: 7\nStory: /);
  });

  it('writes column names into the cells if the header is too long for one line', () => {
    const header = Array.from({ length: 1_000 }, (_, n) => `Column ${n}`);
    const cells = header.map((_, n) => (n % 500 === 0 ? `value ${n}` : ''));
    expect(chunksOf(rowsOf({ style: 'grid', header }, [cells])).map(({ text }) => text)).toEqual([
      'Column 0: value 0\nColumn 500: value 500',
    ]);
  });

  it('numbers the tables of a document', () => {
    const [one, two] = [['Name'], ['City']].map((header) => rowsOf({ style: 'grid', header }, [['x']])[0]!);
    expect(chunksOf([one!, two!])).toMatchObject([
      { text: 'Name\nx', rows: { first: 1, last: 1 }, table: 1 },
      { text: 'City\nx', rows: { first: 1, last: 1 }, table: 2 },
    ]);
  });
});
