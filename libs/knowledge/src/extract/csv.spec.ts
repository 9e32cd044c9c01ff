import { describe, expect, it } from '@jest/globals';
import iconv from 'iconv-lite';
import { extractedBytes, extractedFile } from '../../../../test/support/extracted.js';
import { documentPath, largeOnly } from '../../../../test/support/test-data.js';
import { delimiterOf, extractCsv } from './csv.js';

const read = async (text: string | Buffer): Promise<string[]> => (await extractedBytes(extractCsv, text)).lines;

describe('a CSV file', () => {
  it.each<[string, string, string[]]>([
    ['commas', 'name,price\nTea,3\nCoffee,4\n', ['r1 name=Tea; price=3', 'r2 name=Coffee; price=4']],
    [
      'semicolons with decimal commas',
      'name;price\nTea;3,5\nMilk;1,2',
      ['r1 name=Tea; price=3,5', 'r2 name=Milk; price=1,2'],
    ],
    ['tabs', 'a\tb\n1\t2, 3', ['r1 a=1; b=2, 3']],
    ['pipes', 'a|b\r\n1|2\r\n', ['r1 a=1; b=2']],
    ['a declared delimiter', 'sep=;\na;b\n1;2', ['r1 a=1; b=2']],
    ['a byte order mark', '\ufeffa,b\n1,2', ['r1 a=1; b=2']],
    [
      'quotes, line ends and delimiters in cells',
      'a,b\n"say ""hi"", now","two\nlines"',
      ['r1 a=say "hi", now; b=two lines'],
    ],
    ['inch marks if no cell is quoted', 'size,kind\n5" pipe,x', ['r1 size=5" pipe; kind=x']],
    [
      'a title above the header',
      'Prices 2026,,\n,,\nItem,Net,Gross\nTea,3,4',
      ['p Prices 2026', 'r1 Item=Tea; Net=3; Gross=4'],
    ],
    [
      'a title above and a remark below the table',
      'Timetable,,\n,,\n,Port,Leaves\n,,\n,Norhaven,8:15\n,Sandey,17:40\n,,\nTimes may change in a storm.,,',
      [
        'p Timetable',
        'r2 Column 1=; Port=Norhaven; Leaves=8:15',
        'r3 Column 1=; Port=Sandey; Leaves=17:40',
        'r5 Column 1=Times may change in a storm.; Port=; Leaves=',
      ],
    ],
    ['no header', '1,Tea\n2,Milk', ['r1 Column 1=1; Column 2=Tea', 'r2 Column 1=2; Column 2=Milk']],
    [
      'questions instead of column names',
      'Where are you?,In Rome.\nWhen?,At 9.',
      ['r1 Column 1=Where are you?; Column 2=In Rome.', 'r2 Column 1=When?; Column 2=At 9.'],
    ],
    ['columns without a name', 'a,,c\n1,2,3', ['r1 a=1; Column 2=2; c=3']],
    ['ragged rows', 'a,b\n1\n1,2,3', ['r1 a=1', 'r2 a=1; b=2; Column 3=3']],
    ['one column', 'name\nTea\nMilk', ['r1 name=Tea', 'r2 name=Milk']],
    ['one row', 'Tea,Milk', ['r1 Column 1=Tea; Column 2=Milk']],
    ['empty rows', 'a,b\n,\n\n1,2', ['r2 a=1; b=2']],
  ])('is read with %s', async (_, text, expected) => expect(await read(text)).toEqual(expected));

  it('is read in a legacy encoding', async () => {
    const text = 'Größe;Öffnungszeiten\nfünf;täglich außer sonntags\n';
    expect(await read(iconv.encode(text, 'windows-1252'))).toEqual([
      'r1 Größe=fünf; Öffnungszeiten=täglich außer sonntags',
    ]);
    expect(await read(iconv.encode(text, 'utf-16le', { addBOM: true }))).toHaveLength(1);
  });

  it('is read as rows of one table', async () => {
    const { blocks } = await extractedBytes(extractCsv, 'a,b\n1,2\n3,4');
    expect(blocks[0]).toMatchObject({
      kind: 'row',
      number: 1,
      offset: 0,
      table: { style: 'record', header: ['a', 'b'] },
    });
    expect(blocks[1]).toMatchObject({ number: 2, offset: 6 });
  });
});

describe('an invalid CSV file', () => {
  it.each<[string, string, RegExp]>([
    ['an unclosed quote', 'a,b\n1,2\n3,"open\n4,5\n', /^FILE_CORRUPT: A quote in the record that begins at line 3 /],
    [
      'a quote in each row',
      `id,name\n${'1,"open quote\n'.repeat(1000)}`,
      /^FILE_CORRUPT: A quote in the record that begins at line 2 /,
    ],
    [
      'a record of 1 MB',
      `a,b\n1,2\n"${'x'.repeat(1_100_000)}",1`,
      /^RECORD_TOO_LARGE: The record that begins at line 3 is larger/,
    ],
    [
      'a million columns',
      ','.repeat(1_000_000),
      /^TOO_MANY_COLUMNS: The table has more than 10,000 columns; 1,000 are allowed/,
    ],
    ['1,001 columns', `${','.repeat(1_000)}\n`, /^TOO_MANY_COLUMNS: The table has 1,001 columns/],
    ['200,001 rows', `a,b\n${'1,2\n'.repeat(200_001)}`, /^TOO_MANY_ROWS: The table has more than 200,000 rows/],
    ['no content', '\n\n', /^EMPTY/],
    ['empty cells', ',,\n,,\n', /^EMPTY/],
  ])('with %s is rejected with a code and a line', async (_, text, expected) => {
    const problem = await extractedBytes(extractCsv, text).catch((error: unknown) => error);
    expect(problem).toMatchObject({ processingError: expect.stringMatching(expected) });
  });
});

it.each([
  ['', ','],
  ['one column\nonly', ','],
  ['"a;b";c,d\n"e;f";g', ';'],
  ['a, b; c\nd; e', ';'],
  ['x|y,z|w\n1|2|3', '|'],
])('the delimiter of %j is %j', (text, expected) => expect(delimiterOf(text)).toBe(expected));

for (const folder of largeOnly('real')) {
  describe('CSV files of other programs', () => {
    it('are read with the title above and the remark below the table', async () => {
      const { lines } = await extractedFile(extractCsv, documentPath(`${folder}/testCSV.csv`));
      expect(lines.slice(0, 2)).toEqual([
        'p Sample CSV File - Numbers and their Squares',
        expect.stringContaining('Number=1; Square=1'),
      ]);
      expect(lines).toContainEqual(expect.stringContaining('Written and saved in Apache OpenOffice.'));
    });

    it('are read with their column names', async () => {
      const { lines } = await extractedFile(extractCsv, documentPath(`${folder}/foo.csv`));
      expect(lines[0]).toBe('r1 foo=123; bar=abc def; baz=-987');
    });
  });
}
