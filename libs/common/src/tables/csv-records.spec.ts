import { describe, expect, it } from '@jest/globals';
import iconv from 'iconv-lite';
import { Readable } from 'node:stream';
import { type CsvRecord, csvFormatOf, csvRecords } from './csv-records.js';

const GREEK = 'Όνομα';

/** The records of a file that arrives in pieces of a few bytes. */
async function recordsOf(bytes: Buffer | string, piece = 7): Promise<CsvRecord[]> {
  const whole = Buffer.from(bytes as string);
  const open = (): Promise<Readable> => {
    const pieces = Array.from({ length: Math.ceil(whole.length / piece) }, (_, i) =>
      whole.subarray(i * piece, (i + 1) * piece),
    );
    return Promise.resolve(Readable.from(pieces));
  };
  const format = await csvFormatOf(() => Promise.resolve(Readable.from([whole])));
  const all: CsvRecord[] = [];
  for await (const record of csvRecords(await open(), format)) all.push(record);
  return all;
}

const rows = async (bytes: Buffer | string): Promise<string[][]> => (await recordsOf(bytes)).map(({ cells }) => cells);

describe('a CSV file of contacts', () => {
  it.each<[string, string]>([
    ['commas', 'to_number,metadata.name\n+4930123456,Müller'],
    ['semicolons', 'to_number;metadata.name\r\n+4930123456;Müller\r\n'],
    ['tabs', 'to_number\tmetadata.name\n+4930123456\tMüller'],
    ['the line sep=; of a spreadsheet', 'sep=;\nto_number;metadata.name\n+4930123456;Müller'],
    ['line ends of old computers', 'to_number,metadata.name\r+4930123456,Müller\r'],
    ['mixed line ends and empty lines', 'to_number,metadata.name\r\n\n+4930123456,Müller\n\r\n'],
    ['quotes', '"to_number","metadata.name"\n"+4930123456","Müller"'],
    ['numbers that a spreadsheet wrote as text', 'to_number,metadata.name\n="+4930123456",Müller'],
    ['such numbers in quotes', 'to_number,metadata.name\n"=""+4930123456""",Müller'],
    ['spaces around cells', ' to_number , metadata.name \n +4930123456 , Müller '],
  ])('is read with %s', async (_name, text) => {
    expect(await rows(text)).toEqual([
      ['to_number', 'metadata.name'],
      ['+4930123456', 'Müller'],
    ]);
  });

  it.each([
    ['UTF-8', Buffer.from(`a,b\n1,Müller ${GREEK}`)],
    ['UTF-8 with a byte order mark', Buffer.from(`\ufeffa,b\n1,Müller ${GREEK}`)],
    ['UTF-16 of Excel', iconv.encode(`a,b\n1,Müller ${GREEK}`, 'utf-16le', { addBOM: true })],
    ['UTF-16 with the other byte order', iconv.encode(`a,b\n1,Müller ${GREEK}`, 'utf-16be', { addBOM: true })],
  ])('is read in %s', async (_name, bytes) => {
    expect(await rows(bytes)).toEqual([
      ['a', 'b'],
      ['1', `Müller ${GREEK}`],
    ]);
  });

  it('is read in Windows-1252, also when its first special letter follows after 100 KB', async () => {
    const plain = Array.from({ length: 5_000 }, (_, i) => `+4930${1_000_000 + i},Anna Smith`).join('\n');
    const text = `to_number,name\n${plain}\n+4989111,Jürgen Müller – „Café“ für 5 €\n+4989112,Böhm & Söhne, größer\n`;
    const read = await rows(iconv.encode(text, 'windows-1252'));
    expect(read).toHaveLength(5_003);
    expect(read.at(-2)).toEqual(['+4989111', 'Jürgen Müller – „Café“ für 5 €']);
  });

  it.each([
    ['windows-1252', '+49301,Müller'],
    ['windows-1252', '+331,François Lefèvre\n+332,Hélène Noël'],
    ['windows-1252', '+341,Peña Núñez\n+342,José García'],
    ['windows-1252', '+461,Åsa Öberg\n+451,Søren Ærø'],
    ['windows-1250', '+481,Łukasz Wiśniewski\n+482,Małgorzata Żółć'],
    ['windows-1250', '+4201,Dvořák Jiří\n+4202,Černý Tomáš\n+4203,Kateřina Zelená\n+4204,Příhoda Luděk'],
    ['windows-1251', '+71,Иван Петров\n+72,Ольга Сидорова'],
    ['windows-1253', '+301,Γιώργος Παπαδόπουλος'],
    ['shift_jis', '+811,田中太郎\n+812,鈴木花子'],
    ['gb18030', '+861,王小明\n+862,李红'],
  ])('with a few names in %s is read right: %j', async (charset, text) => {
    expect((await rows(iconv.encode(text, charset))).map((cells) => cells.join(',')).join('\n')).toBe(text);
  });

  it('keeps delimiters, quotes and line breaks inside of quotes', async () => {
    expect(await recordsOf('a,b\n1,"say ""hi"", now"\n2,"two\nlines"\n\n3,x\n')).toEqual([
      { line: 1, cells: ['a', 'b'] },
      { line: 2, cells: ['1', 'say "hi", now'] },
      { line: 3, cells: ['2', 'two\nlines'] },
      { line: 6, cells: ['3', 'x'] },
    ]);
  });

  it('keeps inch marks and nicknames in cells that are not quoted', async () => {
    expect(await rows('a,b\n5" pipe,x\n6,Al "Bud" Smith')).toEqual([
      ['a', 'b'],
      ['5" pipe', 'x'],
      ['6', 'Al "Bud" Smith'],
    ]);
  });

  it.each([
    [
      'at the end of the file',
      'a,b\n1,x\n2,"never closed\n3,y\n',
      'A quote in the record that begins at line 3 is not closed.',
    ],
    [
      'far before the end',
      `a,b\n1,"${'x\n'.repeat(40_000)}`,
      'The record that begins at line 2 is longer than 65,536 characters, or a quote in it is not closed.',
    ],
  ])('with a quote that is not closed %s names the line', async (_name, text, message) => {
    await expect(recordsOf(text, 1_000)).rejects.toThrow(message);
  });

  it('stops reading when its reader stops', async () => {
    const source = Readable.from(Array.from({ length: 10_000 }, () => Buffer.from('1,2\n')));
    for await (const { cells } of csvRecords(source, { encoding: 'utf-8', delimiter: ',' }))
      if (cells[0] === '1') break;
    expect(source.destroyed).toBe(true);
  });
});
