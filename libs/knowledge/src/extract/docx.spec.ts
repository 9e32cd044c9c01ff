import { describe, expect, it } from '@jest/globals';
import { extractedBytes, extractedFile } from '../../../../test/support/extracted.js';
import { documentPath, largeOnly } from '../../../../test/support/test-data.js';
import { wordFile, type WordFile, wordParagraph } from '../../../../test/support/word-file.js';
import { extractDocx } from './docx.js';

const read = async (file: WordFile): Promise<string[]> => (await extractedBytes(extractDocx, wordFile(file))).lines;
const cell = (...texts: string[]): string => `<w:tc>${texts.map((text) => wordParagraph(text)).join('')}</w:tc>`;
const merged = (span: string, text: string): string => `<w:tc><w:tcPr>${span}</w:tcPr>${wordParagraph(text)}</w:tc>`;
const row = (...cells: string[]): string => `<w:tr>${cells.join('')}</w:tr>`;

describe('a Word document', () => {
  it.each<[string, string, string[]]>([
    [
      'headings by style',
      wordParagraph('One', '<w:pStyle w:val="Heading1"/>') + wordParagraph('words'),
      ['h1 One', 'p words'],
    ],
    ['a title', wordParagraph('All', '<w:pStyle w:val="Title"/>'), ['h1 All']],
    [
      'tables with their header',
      `<w:tbl>${row(cell('Day'), cell('Hours'))}${row(cell('Mon'), cell('8', '20'))}</w:tbl>`,
      ['r1 Day=Mon; Hours=8 20'],
    ],
    [
      'merged cells, whose text is repeated',
      `<w:tbl>${row(cell('Day'), cell('Hall'), cell('Hours'))}${row(
        merged('<w:vMerge w:val="restart"/>', 'Mon'),
        merged('<w:gridSpan w:val="2"/>', '8'),
      )}${row(merged('<w:vMerge/>', ''), cell('2'), cell('9'))}</w:tbl>`,
      ['r1 Day=Mon; Hall=8; Hours=8', 'r2 Day=Mon; Hall=2; Hours=9'],
    ],
    ['a layout table', `<w:tbl>${row(cell('left', 'below'), cell('right'))}</w:tbl>`, ['p left', 'p below', 'p right']],
    ['page breaks', '<w:p><w:r><w:t>one</w:t><w:br w:type="page"/><w:t>two</w:t></w:r></w:p>', ['p one\ntwo']],
    [
      'deleted and inserted words',
      '<w:p><w:del><w:r><w:delText>old</w:delText></w:r></w:del><w:ins><w:r><w:t>new</w:t></w:r></w:ins></w:p>',
      ['p new'],
    ],
    [
      'soft hyphens and non-breaking spaces',
      '<w:p><w:r><w:t>Donau\u00addampf</w:t><w:t>\u00a0km</w:t></w:r></w:p>',
      ['p Donaudampf km'],
    ],
    ['empty paragraphs', `${wordParagraph('')}${wordParagraph(' ')}${wordParagraph('x')}`, ['p x']],
  ])('is read with %s', async (_, body, expected) => expect(await read({ body })).toEqual(expected));

  it('has its footnotes after the paragraph that references them', async () => {
    const body = `<w:p><w:r><w:t>Free</w:t><w:footnoteReference w:id="2"/></w:r></w:p>${wordParagraph('next')}`;
    const footnotes = `<w:footnote w:id="2">${wordParagraph('On Sundays.')}</w:footnote>`;
    expect(await read({ body, footnotes })).toEqual(['p Free[2]', 'p [2] On Sundays.', 'p next']);
  });

  it('is read without its comments', async () => {
    const body =
      '<w:p><w:commentRangeStart w:id="0"/><w:r><w:t>Closed at noon.</w:t></w:r><w:commentRangeEnd w:id="0"/><w:r><w:commentReference w:id="0"/></w:r></w:p>';
    const comments = `<w:comments xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:comment w:id="0">${wordParagraph('Really?')}</w:comment></w:comments>`;
    expect(await read({ body, more: [{ name: 'word/comments.xml', content: comments }] })).toEqual([
      'p Closed at noon.',
    ]);
  });

  it.each<[string, WordFile, string]>([
    ['no text', { body: '' }, 'EMPTY'],
    ['invalid XML', { body: '<w:p><w:r>' }, 'FILE_CORRUPT'],
    [
      'deeply nested parts',
      { body: '<w:sdt><w:sdtContent>'.repeat(20_000) + '</w:sdtContent></w:sdt>'.repeat(20_000), more: [] },
      'FILE_CORRUPT',
    ],
  ])('with %s fails with an error code', async (_, file, code) => {
    await expect(read(file)).rejects.toMatchObject({ code });
  });
});

it('a Word document that declares entities is rejected before they are expanded', async () => {
  const doctype = '<!DOCTYPE x [<!ENTITY a "lol"><!ENTITY b "&a;&a;">]>';
  await expect(read({ body: wordParagraph('&b;'), doctype })).rejects.toMatchObject({
    code: 'FILE_CORRUPT',
    sentence: expect.stringContaining('declares entities'),
  });
});

describe('Word documents of other programs', () => {
  it.each<[string, string[]]>([
    [
      'odd/notes.docx',
      [
        'h1 Notes for the crew',
        'p The night ferry waits for the last bus[2] from the station.',
        'p [2] No longer than ten minutes.',
        'p Check the lifejackets and send an e\u2011mail.',
        'p The rules of the port are at northlight.example in full.',
      ],
    ],
    ...largeOnly<[string, string[]]>(
      ['real/footnotes.docx', ['p Eto ochen prostoy[1] text so snoskoy', 'p [1] snoska']],
      ['real/testComment.docx', ['p Here is some text.']],
      ['real/testOptionalHyphen.docx', ['p optionalhyphen']],
      ['real/testWORD.docx', ['h3 Heading Level 3', 'p Apache POI: http://poi.apache.org/ POI']],
      ['real/NullHeader.docx', ['p Collapsing economy']],
    ),
  ])('are read in order: %s', async (name, expected) => {
    const { lines } = await extractedFile(extractDocx, documentPath(name));
    for (const line of expected) expect(lines).toContain(line);
  });
});
