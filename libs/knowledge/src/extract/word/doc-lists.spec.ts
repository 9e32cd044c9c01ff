import { describe, expect, it } from '@jest/globals';
import {
  docFile,
  type DocFile,
  type DocFileLevel,
  type DocFileParagraph,
} from '../../../../../test/support/doc-file.js';
import { extractBytes } from '../../../../../test/support/extracted.js';
import { SeededRandom } from '../../../../../test/support/seeded-random.js';
import { extractDoc } from './doc.js';

/** Codes of [MS-DOC] 2.6.2. */
const [LIST, LEVEL, IN_TABLE, ENDS_ROW, TAB_STOPS, TABLE] = [0x460b, 0x260a, 0x2416, 0x2417, 0xc615, 0xd608];
const [ROMAN, LETTER, BULLET, NONE] = [1, 4, 23, 255];

const read = async (file: DocFile): Promise<string[]> => (await extractBytes(extractDoc, docFile(file))).lines;
const item = (text: string, list: number, level = 0): DocFileParagraph => ({
  text,
  properties: [
    [LEVEL, level],
    [LIST, list],
  ],
});
const outline: DocFileLevel[] = [{ text: '\0.' }, { text: '\0.\x01' }, { text: '(\x02)', format: 2 }];
const one = { lists: [{ id: 7, levels: outline }], overrides: [{ id: 7 }] };

describe('the numbers of a Word 97-2003 document (DOC)', () => {
  it('precede the items of its lists, and bullets are hyphens', async () => {
    const lists = [...one.lists, { id: 8, levels: [{ text: '\uf0b7', format: BULLET }] }];
    const paragraphs = [
      item('one', 1),
      item('deep', 1, 1),
      item('deeper', 1, 2),
      item('dot', 2),
      item('', 1),
      { text: 'plain' },
      item('three', 1),
      { text: 'end', properties: [[LIST, 0]] as [number, number][] },
    ];
    expect(await read({ paragraphs, lists, overrides: [{ id: 7 }, { id: 8 }] })).toEqual([
      'p 1. one',
      'p 1.1 deep',
      'p (i) deeper',
      'p - dot',
      'p plain',
      'p 3. three',
      'p end',
    ]);
  });

  it('are part of headings whose style, or the style it is based on, refers to a list', async () => {
    const styles: DocFile['styles'] = [
      {},
      { properties: [[LIST, 1]] },
      { base: 1, properties: [[LEVEL, 1]] },
      { base: 2 },
      { base: 4 },
    ];
    const levels = [
      { text: 'Article \0', format: ROMAN },
      { text: '\0.\x01', flags: 4 },
    ];
    const paragraphs: DocFileParagraph[] = [
      { text: 'Sale', style: 1 },
      { text: 'Delivery', style: 2 },
      { text: 'Returns', style: 2 },
      { text: 'By post', style: 3 },
      { text: 'Annex', style: 1, properties: [[LIST, 0]] },
      { text: 'Round', style: 4 },
      { text: 'End', style: 1 },
    ];
    expect(await read({ paragraphs, styles, lists: [{ id: 7, levels }], overrides: [{ id: 7 }] })).toEqual([
      'h1 Article I Sale',
      'h2 1.1 Delivery',
      'h2 1.2 Returns',
      'h3 1.3 By post',
      'h1 Annex',
      'h4 Round',
      'h1 Article II End',
    ]);
  });

  it.each<[string, DocFile, string[]]>([
    [
      'continue in a list of the same definition and restart in one with a start',
      {
        lists: one.lists,
        overrides: [{ id: 7 }, { id: 7 }, { id: 7, levels: [{ level: 0, start: 5 }] }],
        paragraphs: [item('a', 1), item('b', 2), item('c', 3), item('d', 3), item('e', 1)],
      },
      ['p 1. a', 'p 2. b', 'p 5. c', 'p 6. d', 'p 7. e'],
    ],
    [
      'follow a level that the list overrides',
      {
        lists: one.lists,
        overrides: [
          { id: 7 },
          {
            id: 7,
            levels: [
              { level: 1, start: 3 },
              { level: 0, format: { text: '\0)', format: LETTER } },
            ],
          },
        ],
        paragraphs: [item('a', 1), item('b', 2), item('c', 2, 1), item('d', 1)],
      },
      ['p 1. a', 'p b) b', 'p b.3 c', 'p 3. d'],
    ],
    [
      'never restart if their level says so',
      {
        lists: [{ id: 7, levels: [{ text: '\0.' }, { text: '\x01)', format: LETTER, flags: 8 }] }],
        overrides: [{ id: 7 }],
        paragraphs: [item('x', 1), item('y', 1, 1), item('x', 1), item('y', 1, 1)],
      },
      ['p 1. x', 'p a) y', 'p 2. x', 'p b) y'],
    ],
    [
      'are a text for levels without a number',
      {
        lists: [{ id: 7, levels: [{ text: 'Note:', format: NONE }] }],
        overrides: [{ id: 7 }],
        paragraphs: [item('x', 1)],
      },
      ['p Note: x'],
    ],
    [
      'are missing for lists that the file does not define',
      { ...one, paragraphs: [item('a', 2), item('b', 0xf801), item('c', 1)] },
      ['p a', 'p b', 'p 1. c'],
    ],
    [
      'do not count paragraphs that a tracked change deletes',
      { ...one, paragraphs: [item('a', 1), { ...item('gone', 1), isDeleted: true }, item('b', 1)] },
      ['p 1. a', 'p 2. b'],
    ],
    [
      'are found behind properties of variable length',
      {
        ...one,
        paragraphs: [
          {
            text: 'a',
            properties: [
              [TAB_STOPS, 5],
              [TABLE, 9],
              [LIST, 1],
            ],
          },
        ],
      },
      ['p 1. a'],
    ],
  ])('%s', async (_, file, expected) => expect(await read(file)).toEqual(expected));

  it('are in the cells of tables, in which a cell may have several paragraphs', async () => {
    const cell = (text: string, list = 0, mark: '\r' | '\x07' = '\x07'): DocFileParagraph => ({
      text,
      mark,
      properties: [
        [IN_TABLE, 1],
        [LIST, list],
      ],
    });
    const end: DocFileParagraph = {
      text: '',
      mark: '\x07',
      properties: [
        [IN_TABLE, 1],
        [ENDS_ROW, 1],
      ],
    };
    const paragraphs = [
      ...[cell('No.'), cell('Hours'), end],
      ...[cell('', 1), cell('8', 0, '\r'), cell('20'), end],
      ...[cell('Tue', 1), cell(''), end],
      { text: 'after' },
      ...[cell('left', 0, '\r'), cell('below', 1), cell('right'), end],
    ];
    expect(await read({ ...one, paragraphs })).toEqual([
      'r1 No.=; Hours=8 20',
      'r2 No.=2. Tue; Hours=',
      'p after',
      'p left',
      'p 3. below',
      'p right',
    ]);
  });

  it('leave the result of a field, which may contain other fields, and lose its code', async () => {
    const paragraphs = [
      { text: 'see \x13 REF a \x13 IF \x14nested\x15 \\r \x14 4.2 \x15 and \x13 XE "index" \x15more' },
      { text: 'an \x13 open field' },
    ];
    expect(await read({ paragraphs })).toEqual(['p see  4.2  and more', 'p an  open field']);
  });

  it('never prevent the text from being read when the tables of lists and styles are damaged', async () => {
    const whole = docFile({
      ...one,
      styles: [{}, { properties: [[LIST, 1]] }],
      paragraphs: [item('a', 1), item('b', 1)],
    });
    const random = new SeededRandom(3);
    for (let round = 0; round < 300; round++) {
      const bytes = Buffer.from(whole);
      const at = [0xa2, 0x2e2, 0x2ea][round % 3] ?? 0;
      for (let hit = 0; hit < 2; hit++) bytes[512 * 3 + at + random.int(0, 7)] = random.int(0, 255);
      const table = bytes.lastIndexOf(Buffer.from([18, 0, 2, 0, 10, 0]));
      for (let hit = 0; hit < 8; hit++) bytes[table + random.int(0, 600)] = random.int(0, 255);
      const outcome = await extractBytes(extractDoc, bytes).catch((error: { code?: string }) => error.code);
      expect(typeof outcome === 'object' || /^(?:FILE_CORRUPT|EMPTY)$/.test(outcome ?? '')).toBe(true);
    }
  });
});
