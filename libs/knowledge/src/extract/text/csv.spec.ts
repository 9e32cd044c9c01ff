import { describe, expect, it } from '@jest/globals';
import iconv from 'iconv-lite';
import { extractBytes, extractFile } from '../../../../../test/support/extracted.js';
import { documentPath, largeOnly } from '../../../../../test/support/test-data.js';
import { delimiterOf } from '@app/common/text-files';
import { extractCsv } from './csv.js';

const read = async (text: string | Buffer): Promise<string[]> => (await extractBytes(extractCsv, text)).lines;

it('a CSV file with many rows that end with CR is not taken for one row', async () => {
  const rows = Array.from({ length: 6_000 }, (_, at) => `item ${at},${at}\r`);
  expect(await read(`name,price\r${rows.join('')}`)).toHaveLength(6_000);
});

describe('a CSV file', () => {
  it.each<[string, string, string[]]>([
    ['commas', 'name,price\nTea,3\nCoffee,4\n', ['r1 name=Tea; price=3', 'r2 name=Coffee; price=4']],
    [
      'semicolons with decimal commas',
      'name;price\nTea;3,5\nMilk;1,2',
      ['r1 name=Tea; price=3,5', 'r2 name=Milk; price=1,2'],
    ],
    ['line ends of CR only', 'name;price\rTea;3,5\rMilk;1,2\r', ['r1 name=Tea; price=3,5', 'r2 name=Milk; price=1,2']],
    ['CR only, and other line ends in cells', 'a,b\r1,"two\nlines"\r3,4', ['r1 a=1; b=two lines', 'r2 a=3; b=4']],
    ['CR only, below a declared delimiter', 'sep=;\ra;b\r1;2,5', ['r1 a=1; b=2,5']],
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
        'r2 =; Port=Norhaven; Leaves=8:15',
        'r3 =; Port=Sandey; Leaves=17:40',
        'r5 =Times may change in a storm.; Port=; Leaves=',
      ],
    ],
    ['no header', '1,Tea\n2,Milk', ['r1 =1; =Tea', 'r2 =2; =Milk']],
    [
      'questions instead of column names',
      'Where are you?,In Rome.\nWhen?,At 9.',
      ['r1 =Where are you?; =In Rome.', 'r2 =When?; =At 9.'],
    ],
    ['columns without a name', 'a,,c\n1,2,3', ['r1 a=1; =2; c=3']],
    ['ragged rows', 'a,b\n1\n1,2,3', ['r1 a=1', 'r2 a=1; b=2; =3']],
    ['one column', 'name\nTea\nMilk', ['r1 name=Tea', 'r2 name=Milk']],
    ['one row', 'Tea,Milk', ['r1 =Tea; =Milk']],
    [
      'abbreviated and questioning column names',
      'Article no.,Qty.,In stock?\nBO26232,3,yes\nBO26233,0,no',
      ['r1 Article no.=BO26232; Qty.=3; In stock?=yes', 'r2 Article no.=BO26233; Qty.=0; In stock?=no'],
    ],
    [
      'abbreviated names above texts only',
      'Art. no.,Desc.\nAB-1,Garden hose\nAB-2,Hand pump',
      ['r1 Art. no.=AB-1; Desc.=Garden hose', 'r2 Art. no.=AB-2; Desc.=Hand pump'],
    ],
    ['units in brackets', 'Model,Weight (kg),Price [EUR]\nA,3,9.90', ['r1 Model=A; Weight (kg)=3; Price [EUR]=9.90']],
    [
      'years as column names',
      'Region,2024,2025\nNorth,120,130\nSouth,95,101',
      ['r1 Region=North; 2024=120; 2025=130', 'r2 Region=South; 2024=95; 2025=101'],
    ],
    [
      'years above an empty corner, the latest first',
      ',2025,2024\nNorth,120,130\nSouth,95,101',
      ['r1 =North; 2025=120; 2024=130', 'r2 =South; 2025=95; 2024=101'],
    ],
    [
      'quantities as column names',
      'Article,1,10-49,50+\nScrew,0.20,0.15,0.10\nNut,0.30,0.25,0.20',
      ['r1 Article=Screw; 1=0.20; 10-49=0.15; 50+=0.10', 'r2 Article=Nut; 1=0.30; 10-49=0.25; 50+=0.20'],
    ],
    ['ascending numbers in each row', 'Bern,1,2\nRome,3,9', ['r1 =Bern; =1; =2', 'r2 =Rome; =3; =9']],
    [
      'two header lines of a spreadsheet',
      'Product,,Price,\nCode,Name,Net,Gross\nA1,Hose,10,12\nA2,Pump,20,24',
      [
        'r1 Product Code=A1; Product Name=Hose; Price Net=10; Price Gross=12',
        'r2 Product Code=A2; Product Name=Pump; Price Net=20; Price Gross=24',
      ],
    ],
    [
      'a line of repeated group names',
      'Product,Product,Price,Price\nCode,Name,Net,Gross\nA1,Hose,10,12',
      ['r1 Product Code=A1; Product Name=Hose; Price Net=10; Price Gross=12'],
    ],
    [
      'a line of units below the names',
      'Model,Weight,Length\n,kg,(mm)\nA,3,120\nB,4,90',
      ['r1 Model=A; Weight kg=3; Length (mm)=120', 'r2 Model=B; Weight kg=4; Length (mm)=90'],
    ],
    [
      'a first row without a price',
      'Name,Price\nTea,ask us\nMilk,3\nWater,2',
      ['r1 Name=Tea; Price=ask us', 'r2 Name=Milk; Price=3', 'r3 Name=Water; Price=2'],
    ],
    [
      'a title of two cells above the header',
      'Price list,,,Valid from 2026\n\nArticle no.,Name,Size,Price\nA1,Hose,10 x 20,9.90\nA2,Pump,5 x 5,19.90',
      [
        'p Price list   Valid from 2026',
        'r1 Article no.=A1; Name=Hose; Size=10 x 20; Price=9.90',
        'r2 Article no.=A2; Name=Pump; Size=5 x 5; Price=19.90',
      ],
    ],
    [
      'questions of a survey as column names',
      'How old are you?,How many children do you have?\n35,2\n41,0',
      [
        'r1 How old are you?=35; How many children do you have?=2',
        'r2 How old are you?=41; How many children do you have?=0',
      ],
    ],
    [
      'a row of totals',
      'Item,Net,Gross\nTea,3,4\nTotal,3,4',
      ['r1 Item=Tea; Net=3; Gross=4', 'r2 Item=Total; Net=3; Gross=4'],
    ],
    [
      'quoted line ends in the header',
      '"Article\nno.","Price\n(EUR)"\n4711,9.90',
      ['r1 Article no.=4711; Price (EUR)=9.90'],
    ],
    ['times without a header', 'Mon,9:00–17:00\nSat,10:00–14:00', ['r1 =Mon; =9:00–17:00', 'r2 =Sat; =10:00–14:00']],
    [
      'a repeated column name above numbers',
      'Name,Phone,Phone,Floor\nAnn,123,456,2',
      ['r1 Name=Ann; Phone=123; Phone=456; Floor=2'],
    ],
    [
      'codes without a header',
      'BO26232,Pump\nBO26233,Hose\nBO9,Tank',
      ['r1 =BO26232; =Pump', 'r2 =BO26233; =Hose', 'r3 =BO9; =Tank'],
    ],
    [
      'values that occur again without a header',
      'yes,Tea\nno,Milk\nyes,Water',
      ['r1 =yes; =Tea', 'r2 =no; =Milk', 'r3 =yes; =Water'],
    ],
    [
      'numbered column names',
      'Name,Phone 1,Phone 2\nAnn,home,work\nBob,none,home',
      ['r1 Name=Ann; Phone 1=home; Phone 2=work', 'r2 Name=Bob; Phone 1=none; Phone 2=home'],
    ],
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
    const { blocks } = await extractBytes(extractCsv, 'a,b\n1,2\n3,4');
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
    const problem = await extractBytes(extractCsv, text).catch((error: unknown) => error);
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
      const { lines } = await extractFile(extractCsv, documentPath(`${folder}/testCSV.csv`));
      expect(lines.slice(0, 2)).toEqual([
        'p Sample CSV File - Numbers and their Squares',
        expect.stringContaining('Number=1; Square=1'),
      ]);
      expect(lines).toContainEqual(expect.stringContaining('Written and saved in Apache OpenOffice.'));
    });

    it('are read with their column names', async () => {
      const { lines } = await extractFile(extractCsv, documentPath(`${folder}/foo.csv`));
      expect(lines[0]).toBe('r1 foo=123; bar=abc def; baz=-987');
    });
  });
}
