import { describe, expect, it } from '@jest/globals';
import { extractBytes, extractFile } from '../../../../../test/support/extracted.js';
import { documentPath, largeOnly } from '../../../../../test/support/test-data.js';
import { wordFile, type WordFile, wordParagraph } from '../../../../../test/support/word-file.js';
import { extractDocx } from './docx.js';

const read = async (file: WordFile): Promise<string[]> => (await extractBytes(extractDocx, wordFile(file))).lines;
const cell = (...texts: string[]): string => `<w:tc>${texts.map((text) => wordParagraph(text)).join('')}</w:tc>`;
const merge = (span: string, text: string): string => `<w:tc><w:tcPr>${span}</w:tcPr>${wordParagraph(text)}</w:tc>`;
const run = (text: string, properties = ''): string =>
  `<w:r><w:rPr>${properties}</w:rPr><w:t xml:space="preserve">${text}</w:t></w:r>`;
const RAISED = '<w:vertAlign w:val="superscript"/>';
const WP = 'xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing"';
const A = 'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"';
const MC = 'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"';
const M = 'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"';
/** The relationships of the document; a target is an address if it has a colon. */
const relationships = (
  ...targets: [id: string, type: string, target: string][]
): { name: string; content: string } => ({
  name: 'word/_rels/document.xml.rels',
  content: `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${targets
    .map(
      ([id, type, target]) =>
        `<Relationship Id="${id}" Type="${OFFICE}/${type}" Target="${target}"${target.includes(':') ? ' TargetMode="External"' : ''}/>`,
    )
    .join('')}</Relationships>`,
});
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
        merge('<w:vMerge w:val="restart"/>', 'Mon'),
        merge('<w:gridSpan w:val="2"/>', '8'),
      )}${row(merge('<w:vMerge/>', ''), cell('2'), cell('9'))}</w:tbl>`,
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
    [
      'simple fields',
      `<w:p>${run('The price is ')}<w:fldSimple w:instr=" DOCPROPERTY Price ">${run('49 euros')}</w:fldSimple>${run(' per month.')}</w:p>`,
      ['p The price is 49 euros per month.'],
    ],
    [
      'readings of signs',
      `<w:p><w:r><w:ruby><w:rubyPr><w:lid w:val="ja-JP"/></w:rubyPr><w:rt>${run('とうきょう')}</w:rt><w:rubyBase>${run('東京')}</w:rubyBase></w:ruby></w:r>${run('駅')}</w:p>`,
      ['p 東京(とうきょう)駅'],
    ],
    [
      'text directions, line ends and tabs',
      `<w:p><w:bdo w:val="rtl">${run('one')}</w:bdo><w:dir w:val="ltr"><w:r><w:cr/><w:t>two</w:t><w:ptab/><w:t>three</w:t></w:r></w:dir></w:p>`,
      ['p one\ntwo\tthree'],
    ],
    [
      'text boxes without VML',
      `<w:p>${run('before')}<w:r><w:drawing><wp:inline ${WP}><wp:docPr id="1" name="Box"/><a:graphic ${A}><a:graphicData><wps:wsp xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"><wps:cNvSpPr/><wps:txbx><w:txbxContent>${wordParagraph('in the box')}</w:txbxContent></wps:txbx></wps:wsp></a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>`,
      ['p before', 'p in the box'],
    ],
    [
      'a choice whose fallback has no text',
      `<w:p><w:r><mc:AlternateContent ${MC}><mc:Choice Requires="wps"><w:drawing><wp:anchor ${WP}><x:shape xmlns:x="urn:x"><w:txbxContent>${wordParagraph('in the box')}</w:txbxContent></x:shape></wp:anchor></w:drawing></mc:Choice><mc:Fallback><w:pict/></mc:Fallback></mc:AlternateContent></w:r></w:p>`,
      ['p in the box'],
    ],
    [
      'a choice and its fallback, once',
      `<w:p><w:r><mc:AlternateContent ${MC}><mc:Choice Requires="wps"><w:t>choice</w:t></mc:Choice><mc:Fallback><w:t>fallback</w:t></mc:Fallback></mc:AlternateContent></w:r></w:p>`,
      ['p fallback'],
    ],
    [
      'shapes of drawings',
      `<w:p><w:r><w:drawing><wp:inline ${WP}><a:graphic ${A}><a:txBody><a:p><a:r><a:t>on the shape</a:t></a:r></a:p></a:txBody></a:graphic></wp:inline></w:drawing></w:r></w:p>`,
      ['p on the shape'],
    ],
    [
      'formulas',
      `<w:p>${run('Area ')}<m:oMath ${M}><m:sSup><m:e><m:r><m:t>10</m:t></m:r></m:e><m:sup><m:r><m:t>6</m:t></m:r></m:sup></m:sSup><m:f><m:num><m:r><m:t>a</m:t></m:r></m:num><m:den><m:r><m:t>b</m:t></m:r></m:den></m:f></m:oMath></w:p>`,
      ['p Area 10^6a/b'],
    ],
    [
      'raised and lowered text',
      `<w:p>${run('$12')}${run('9', RAISED)}${run('9', RAISED)}${run(' or 10')}${run('6', RAISED)}${run(' H')}${run('2', '<w:vertAlign w:val="subscript"/>')}${run('O')}</w:p>`,
      ['p $12.99 or 10^6 H2O'],
    ],
    [
      'hidden text',
      `<w:p>${run('seen ')}${run('no', '<w:vanish/>')}${run('too', '<w:vanish w:val="0"/>')}</w:p><w:p>${run('no', '<w:vanish/>')}</w:p>`,
      ['p seen too'],
    ],
    [
      'struck text',
      `<w:p>${run('Now ')}${run('20', '<w:strike/>')}${run(' 15 ')}${run('9', '<w:dstrike/>')}<w:moveFrom w:id="1">${run('8')}</w:moveFrom>${run('EUR')}</w:p>`,
      ['p Now 15 EUR'],
    ],
    [
      'hidden fields, which stay in pairs',
      `<w:p><w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>HYPERLINK "mailto:a@b.example"</w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r>${run('Mail ')}${run('us')}<w:r><w:rPr><w:vanish/></w:rPr><w:fldChar w:fldCharType="end"/></w:r>${run(' now')}</w:p>`,
      ['p Mail us (a@b.example) now'],
    ],
    [
      'contacts in simple fields',
      `<w:p><w:fldSimple w:instr='HYPERLINK "tel:+15550100"'>${run('Call us')}</w:fldSimple></w:p>`,
      ['p Call us (+15550100)'],
    ],
    ['empty paragraphs', `${wordParagraph('')}${wordParagraph(' ')}${wordParagraph('x')}`, ['p x']],
  ])('is read with %s', async (_, body, expected) => expect(await read({ body })).toEqual(expected));

  it('is read without the text that its styles hide or strike, and with their raised numbers', async () => {
    const styles = `<w:styles ${W}><w:style w:type="character" w:styleId="Base"><w:rPr><w:vanish/></w:rPr></w:style>
      <w:style w:type="character" w:styleId="Internal"><w:basedOn w:val="Base"/></w:style>
      <w:style w:type="paragraph" w:styleId="Old"><w:rPr><w:strike/></w:rPr></w:style>
      <w:style w:type="character" w:styleId="Cents"><w:rPr><w:vertAlign w:val="superscript"/></w:rPr></w:style></w:styles>`;
    const body = `<w:p>${run('$12')}${run('99', '<w:rStyle w:val="Cents"/>')}${run(' cost 3', '<w:rStyle w:val="Internal"/>')}</w:p>
      ${wordParagraph('Old price', '<w:pStyle w:val="Old"/>')}<w:p><w:pPr><w:pStyle w:val="Old"/></w:pPr>${run('valid', '<w:strike w:val="false"/>')}</w:p>`;
    const more = [relationships(['r9', 'styles', 'styles.xml']), { name: 'word/styles.xml', content: styles }];
    expect(await read({ body, more })).toEqual(['p $12.99', 'p valid']);
  });

  it('has the addresses behind its links', async () => {
    const body = `<w:p><w:hyperlink r:id="r8" xmlns:r="${OFFICE}">${run('Email ')}${run('us')}</w:hyperlink>${run(' or call.')}</w:p>`;
    const more = [relationships(['r8', 'hyperlink', 'mailto:help@example.com'])];
    expect(await read({ body, more })).toEqual(['p Email us (help@example.com) or call.']);
  });

  it.each<[string, string, Buffer | string]>([
    ['a web page', 'chunk.html', '<html><body><h2>Inside</h2><p>49 <del>59</del> euros</p></body></html>'],
    ['a text', 'chunk.txt', 'Inside\r\n49 euros'],
    ['a Word document', 'chunk.docx', wordFile({ body: `${wordParagraph('Inside')}${wordParagraph('49 euros')}` })],
  ])('has the text of an imported document: %s', async (_, name, content) => {
    const chunk = `<w:altChunk r:id="r7" xmlns:r="${OFFICE}"/>`;
    const body = wordParagraph('before') + chunk + wordParagraph('after');
    const more = [relationships(['r7', 'aFChunk', `/word/${name}`]), { name: `word/${name}`, content }];
    const { blocks, lines } = await extractBytes(extractDocx, wordFile({ body, more }));
    expect(lines.map((line) => line.replace(/^h2 /, 'p '))).toEqual(['p before', 'p Inside', 'p 49 euros', 'p after']);
    expect(blocks.map(({ offset }) => offset)).toEqual([0, 7, 14, 23]);
  });

  it('fails if it has an imported document that cannot be read', async () => {
    const body = wordParagraph('before') + `<w:altChunk r:id="r7" xmlns:r="${OFFICE}"/>`;
    const more = [relationships(['r7', 'aFChunk', 'a.rtf']), { name: 'word/a.rtf', content: '{\\rtf1 Inside}' }];
    await expect(read({ body, more })).rejects.toMatchObject({ code: 'UNSUPPORTED_FORMAT' });
  });

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
    const { lines } = await extractFile(extractDocx, documentPath(name));
    for (const line of expected) expect(lines).toContain(line);
  });
});
