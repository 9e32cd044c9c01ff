import { describe, expect, it } from '@jest/globals';
import iconv from 'iconv-lite';
import { extractBytes, extractFile } from '../../../../../test/support/extracted.js';
import { documentPath, largeOnly } from '../../../../../test/support/test-data.js';
import { extractTxt } from './plain-text.js';

const long = 'word '.repeat(30).trim();

describe('plain text', () => {
  it.each<[string, string, string[]]>([
    ['paragraphs between empty lines', 'a\nb\n\n \nc\r\n\r\nd', ['p a\nb', 'p c', 'p d']],
    ['long lines as paragraphs', `${long}\n${long}`, [`p ${long}`, `p ${long}`]],
    ['list items', 'To do:\n- a\n  more\n2. b', ['p To do:', 'p - a\n  more', 'p 2. b']],
    ['decorative lines', 'Title\n=====\ntext\n* * *\nend', ['p Title', 'p text', 'p end']],
    ['form feeds between pages', 'a\n\f\nb', ['p a', 'p b']],
  ])('is split into paragraphs: %s', async (_, text, expected) =>
    expect((await extractBytes(extractTxt, text)).lines).toEqual(expected),
  );

  it('reports the position of each paragraph in the source', async () => {
    const text = '\n\nfirst\n\n  second\n';
    const { blocks } = await extractBytes(extractTxt, text);
    expect(blocks.map(({ offset }) => offset)).toEqual([2, 11]);
  });

  it.each(['', ' \n\t\n', '-----\n*****'])('without words is rejected as EMPTY: %j', async (text) => {
    await expect(extractBytes(extractTxt, text)).rejects.toMatchObject({ code: 'EMPTY' });
  });

  it.each([
    ['no space', 'a'.repeat(3_000_000)],
    ['line ends only', '\n'.repeat(3_000_000) + 'x'],
    ['carriage returns', '\r'.repeat(1_000_000) + 'x'],
    ['spaces', ' '.repeat(3_000_000) + 'x'],
    ['dashes', '-'.repeat(3_000_000) + 'x'],
  ])('is read in linear time: %s', async (_, text) => {
    expect((await extractBytes(extractTxt, text)).blocks).toHaveLength(1);
  });
});

describe('a Cyrillic text in a DOS encoding', () => {
  it('is recognised by its letters', async () => {
    const text = 'Паром остаётся в гавани,\nесли волны выше четырёх метров.\n\nБилеты действуют и завтра.\n';
    const { lines, facts } = await extractBytes(extractTxt, iconv.encode(text, 'cp866'));
    expect(facts.charset).toBe('ibm866');
    expect(lines).toEqual([
      'p Паром остаётся в гавани,\nесли волны выше четырёх метров.',
      'p Билеты действуют и завтра.',
    ]);
  });

  for (const name of largeOnly('real/russian.cp866.txt')) {
    it(`${name} is read`, async () => {
      const { lines, facts } = await extractFile(extractTxt, documentPath(name));
      expect(facts.charset).toBe('ibm866');
      expect(lines[0]).toMatch(/^p Однажды, в студеную зимнюю пору,\n/);
    });
  }
});
