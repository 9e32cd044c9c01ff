import { describe, expect, it } from '@jest/globals';
import { indexTexts } from '../../test/index-texts.js';
import { textOfRows, withNeighbours } from './table-rows.js';

/** Tables of a document: number of rows and tokens per row; a table of 0 tokens is text. */
type Tables = [rows: number, tokens: number][];

/** The passages of chunks with scores, as `first-last` with the chunk that was found. */
async function passages(tables: Tables, ranked: [chunk: number, score: number][], limit = 3): Promise<string[]> {
  const rows = tables.flatMap(([count, tokens], at) =>
    Array.from({ length: count }, () => (tokens > 0 ? { table: at + 1, tokens } : undefined)),
  );
  const { segments } = await indexTexts({ texts: rows.map((_, n) => `chunk ${n}`), rows });
  const places = ranked.map(([chunk, score]) => ({ segment: segments[0]!, chunk, score, matched: 'words' as const }));
  return withNeighbours(places, limit).map(({ chunk, first, last }) => `${first}-${last} (${chunk})`);
}

describe('the passage of a found row', () => {
  it.each<[string, Tables, [number, number][], string[]]>([
    ['has its neighbours on both sides', [[50, 60]], [[20, 1]], ['18-22 (20)']],
    ['has more rows below at the start of the table', [[50, 60]], [[0, 1]], ['0-4 (0)']],
    ['has more rows above at the end of the table', [[50, 60]], [[49, 1]], ['45-49 (49)']],
    ['is a small table as a whole', [[4, 30]], [[2, 1]], ['0-3 (2)']],
    [
      'ends at the next table',
      [
        [3, 30],
        [3, 30],
      ],
      [[3, 1]],
      ['3-5 (3)'],
    ],
    ['is only the row if it is long', [[3, 400]], [[1, 1]], ['1-1 (1)']],
    ['is text as it is', [[3, 0]], [[1, 1]], ['1-1 (1)']],
    [
      'contains another good row that fits',
      [[50, 60]],
      [
        [20, 1],
        [23, 0.9],
      ],
      ['19-23 (20)'],
    ],
    [
      'contains another good row of a table, whose order is kept',
      [[50, 60]],
      [
        [20, 1],
        [17, 0.9],
      ],
      ['16-20 (20)'],
    ],
    [
      'leaves out a weak row that would move it',
      [[50, 60]],
      [
        [20, 1],
        [24, 0.1],
      ],
      ['18-22 (20)', '23-27 (24)'],
    ],
    [
      'covers a weak row that it shows anyway',
      [[50, 60]],
      [
        [20, 1],
        [21, 0.1],
      ],
      ['18-22 (20)'],
    ],
    [
      'does not repeat the rows of a better one',
      [[50, 60]],
      [
        [20, 1],
        [25, 1],
      ],
      ['18-22 (20)', '23-27 (25)'],
    ],
    [
      'is separate for rows far apart',
      [[50, 60]],
      [
        [5, 1],
        [40, 1],
      ],
      ['3-7 (5)', '38-42 (40)'],
    ],
    [
      'is separate for rows of two tables',
      [
        [2, 30],
        [2, 30],
      ],
      [
        [1, 1],
        [2, 1],
      ],
      ['0-1 (1)', '2-3 (2)'],
    ],
  ])('%s', async (_, tables, ranked, expected) => expect(await passages(tables, ranked)).toEqual(expected));

  it('does not count against the limit if another passage contains it', async () => {
    const ranked = [20, 21, 22, 19, 30, 31, 40].map((chunk): [number, number] => [chunk, 1]);
    expect(await passages([[50, 60]], ranked, 3)).toEqual(['18-22 (20)', '28-32 (30)', '38-42 (40)']);
  });
});

describe('the text of rows', () => {
  const header = 'Day | Hours\n';
  const row = (text: string) => ({ text: header + text, header_length: header.length });

  it('has the line of column names once', () => {
    expect(textOfRows([row('Sat | 10'), row('Sun | closed')])).toBe('Day | Hours\nSat | 10\nSun | closed');
  });

  it('separates records, text and parts of a long row by an empty line', () => {
    const text = { text: 'We are open:', header_length: null };
    expect(textOfRows([text, row('Sat | 10'), { text: 'Day: Sun\nHours: closed', header_length: null }])).toBe(
      'We are open:\n\nDay | Hours\nSat | 10\n\nDay: Sun\nHours: closed',
    );
  });

  it('has rows without column names on consecutive lines', () => {
    const plain = (text: string) => ({ text, header_length: 0 });
    expect(textOfRows([plain('Sat | 10'), plain('Sun | closed')])).toBe('Sat | 10\nSun | closed');
  });
});
