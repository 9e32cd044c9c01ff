import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { extractBytes, extractFile } from '../../../../../test/support/extracted.js';
import { docFile } from '../../../../../test/support/doc-file.js';
import { SeededRandom } from '../../../../../test/support/seeded-random.js';
import { documentPath, largeOnly } from '../../../../../test/support/test-data.js';
import { extractDoc } from './doc.js';

describe('Word 97-2003 documents', () => {
  it.each<[string, string[]]>([
    [
      'odd/notes.doc',
      [
        'h1 Notes for the crew',
        'p The bar closes at midnight.',
        'p Check the lifejackets and send an e-mail.',
        'p No longer than ten minutes.',
      ],
    ],
    ...largeOnly<[string, string[]]>(
      [
        'real/testWORD.doc',
        [
          'h1 Heading Level 1',
          'h3 Heading Level 3',
          'p This links to The Main Heading Bookmark and The Level 3 Bookmark. That’s it!',
        ],
      ],
      ['real/simple_lower_case.doc', ['p This is a sample Word document']],
      ['real/test.doc', ['p test']],
      ['real/testControlCharacters.doc', ['p UGF - Archiflow fase 2', 'p 1.\tIntroduzione\t2']],
      ['real/testException1.doc', ['p Disability affects one third of all Western Australians.']],
    ),
  ])('are read in order: %s', async (name, expected) => {
    const { lines } = await extractFile(extractDoc, documentPath(name));
    for (const line of expected) expect(lines).toContain(line);
  });

  it.each([
    'odd/protected.doc',
    ...largeOnly('real/testWORD6.doc', 'real/testWORD_protected_passtika.doc', 'real/testDocumentLink.doc'),
  ])('fail with an error code: %s', async (name) => {
    const reading = extractFile(extractDoc, documentPath(name));
    await expect(reading).rejects.toMatchObject({ code: expect.stringMatching(/^(?:FILE_CORRUPT|EMPTY)$/) });
  });

  it.each(['handbook/en_one.doc', ...largeOnly('real/testWORD.doc')])(
    '%s, damaged anywhere, fails by a code or is read as far as it goes',
    async (name) => {
      const whole = readFileSync(documentPath(name));
      const random = new SeededRandom(1);
      for (let round = 0; round < 60; round++) {
        const bytes = Buffer.from(whole);
        for (let hit = 0; hit < 20; hit++) bytes[random.int(8, bytes.length - 1)] = random.int(0, 255);
        const outcome = await extractBytes(extractDoc, bytes).catch((error: { code?: string }) => error.code);
        expect(typeof outcome === 'object' || /^(?:FILE_CORRUPT|EMPTY)$/.test(outcome ?? '')).toBe(true);
      }
    },
  );
});

describe('an empty DOC file', () => {
  it('is reported as damaged', async () => {
    await expect(extractBytes(extractDoc, Buffer.alloc(600))).rejects.toMatchObject({ code: 'FILE_CORRUPT' });
  });
});

it.each([
  ['hidden', 0x083c],
  ['struck', 0x0837],
  ['doubly struck', 0x2a53],
])('a Word 97-2003 document is read without %s text, with the cells around it', async (_, characterProperty) => {
  const inTable: [number, number][] = [[0x2416, 1]];
  const cell = { mark: '\x07' as const, properties: inTable };
  const rowEnd = { text: '', mark: '\x07' as const, properties: [...inTable, [0x2417, 1]] as [number, number][] };
  const { lines } = await extractBytes(
    extractDoc,
    docFile({
      paragraphs: [
        { text: 'before' },
        { text: 'left out', characterProperty },
        { text: 'after' },
        { ...cell, text: 'Old' },
        { ...cell, text: 'New' },
        rowEnd,
        { ...cell, text: '20', characterProperty },
        { ...cell, text: '15' },
        rowEnd,
      ],
    }),
  );
  expect(lines).toEqual(['p before', 'p after', 'r1 Old=; New=15']);
});
