import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { workbook } from '../../../../test/support/workbook.js';
import { zipFile } from '../../../../test/support/zip-file.js';
import { withCsvFile } from './workbook.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'workbooks-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function csvOf(bytes: Buffer): Promise<string> {
  const path = join(folder, 'upload.part');
  await writeFile(path, bytes);
  return withCsvFile({ accountId: 1, path }, (csvPath) => readFile(csvPath, 'utf8'));
}

describe('an Excel workbook', () => {
  it('is read as the CSV of its first visible sheet, with the lines of the sheet', async () => {
    const rows = [
      ['Telefon', 'Name', 'Ab', 'Kunde'],
      null,
      ['030 123456', 'Müller & "Söhne"\nGmbH', { value: 46_357.5, format: 'dd.mm.yyyy hh:mm' }, 7],
      [491_712_345_678, null, { value: 46_357, format: 'yyyy\\-mm\\-dd' }, 12.5],
      [{ value: 301_234_567, format: '0000000000' }, '日本 <x>'],
      [{ value: 4_930_123_456, format: '"+"0' }],
    ];
    expect(await csvOf(workbook(rows))).toBe(
      [
        '"Telefon","Name","Ab","Kunde"',
        '',
        '"030 123456","Müller & ""Söhne"" GmbH","2026-12-01T12:00:00","7"',
        '"491712345678",,"2026-12-01","12.5"',
        '"0301234567","日本 <x>"',
        '"4930123456"',
        '',
      ].join('\n'),
    );
    expect((await readdir(folder)).filter((name) => name.startsWith('csv-'))).toEqual([]);
  });

  it('is one by its content: other files stay what they are', async () => {
    expect(await csvOf(Buffer.from('to_number\n+4930123456\n'))).toBe('to_number\n+4930123456\n');
  });

  it('of an account waits for the others of that account alone', async () => {
    const paths = ['1', '1', '1', '1', '1', '1', '2'].map((account, at) => join(folder, `account-${account}-${at}`));
    await Promise.all(paths.map((path) => writeFile(path, workbook([['x']]))));
    const finished: number[] = [];
    const convert = async (path: string): Promise<void> => {
      const accountId = path.includes('account-1') ? 1 : 2;
      await withCsvFile({ accountId, path }, () => Promise.resolve(finished.push(accountId)));
    };
    await Promise.all(paths.map(convert));
    // The first one of each account runs at once.
    expect(finished.indexOf(2)).toBeLessThan(3);
  });

  it.each<[string, Buffer, string]>([
    ['an old workbook', Buffer.from('d0cf11e0a1b11ae1ffff', 'hex'), '.xls'],
    ['another ZIP file', zipFile([{ name: 'a.txt', content: 'x' }]), 'The file is not an Excel workbook'],
    ['a truncated file', workbook([['x']]).subarray(0, 900), 'The workbook is damaged'],
    [
      'more texts than are held in memory',
      workbook(
        [['x']],
        [{ name: 'xl/sharedStrings.xml', content: `<sst>${'<si><t>a</t></si>'.repeat(2_000_001)}</sst>` }],
      ),
      'too large',
    ],
  ])('is refused: %s', async (_name, bytes, sentence) => {
    await expect(csvOf(bytes)).rejects.toThrow(sentence);
  });
});
