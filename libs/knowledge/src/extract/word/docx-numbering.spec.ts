import { describe, expect, it } from '@jest/globals';
import { extractBytes } from '../../../../../test/support/extracted.js';
import { wordFile, wordParagraph } from '../../../../../test/support/word-file.js';
import { extractDocx } from './docx.js';

const W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"';

/** `w:lvl`: "%1.%2" with the format; `more` precedes the text. */
const level = (index: number, text: string, format = 'decimal', more = ''): string =>
  `<w:lvl w:ilvl="${index}"><w:start w:val="1"/><w:numFmt w:val="${format}"/>${more}<w:lvlText w:val="${text}"/></w:lvl>`;
const definition = (id: number, ...levels: string[]): string =>
  `<w:abstractNum w:abstractNumId="${id}">${levels.join('')}</w:abstractNum>`;
const num = (id: number, abstract: number, overrides = ''): string =>
  `<w:num w:numId="${id}"><w:abstractNumId w:val="${abstract}"/>${overrides}</w:num>`;
const override = (index: number, content: string): string =>
  `<w:lvlOverride w:ilvl="${index}">${content}</w:lvlOverride>`;
const restart = (index: number, start = 1): string => override(index, `<w:startOverride w:val="${start}"/>`);
const numPr = (id: number | undefined, index?: number): string =>
  `<w:numPr>${index === undefined ? '' : `<w:ilvl w:val="${index}"/>`}${id === undefined ? '' : `<w:numId w:val="${id}"/>`}</w:numPr>`;
const item = (text: string, id: number, index = 0, more = ''): string =>
  wordParagraph(text, `${numPr(id, index)}${more}`);
const styled = (text: string, style: string, more = ''): string =>
  wordParagraph(text, `<w:pStyle w:val="${style}"/>${more}`);
const style = (id: string, content: string, attributes = ''): string =>
  `<w:style w:type="paragraph" w:styleId="${id}" ${attributes}><w:name w:val="${id.replace(/(\d)/, ' $1')}"/>${content}</w:style>`;

interface Parts {
  numbering: string;
  styles?: string;
  body: string;
}

async function read({ numbering, styles = '', body }: Parts): Promise<string[]> {
  const more = [
    { name: 'word/numbering.xml', content: `<?xml version="1.0"?><w:numbering ${W}>${numbering}</w:numbering>` },
    { name: 'word/styles.xml', content: `<w:styles ${W}>${styles}</w:styles>` },
  ];
  return (await extractBytes(extractDocx, wordFile({ body, more }))).lines;
}

const OUTLINE = definition(0, level(0, '%1.'), level(1, '%1.%2'), level(2, '(%3)', 'lowerRoman'));

describe('the numbers of a Word document (DOCX)', () => {
  it('precede the items of its lists; bullets stay as they are', async () => {
    const numbering = `${OUTLINE}${definition(1, level(0, '\uf0b7', 'bullet'))}${num(1, 0)}${num(2, 1)}`;
    const items = [
      item('one', 1),
      item('deep', 1, 1),
      item('deeper', 1, 2),
      item('dot', 2),
      item('', 1),
      item('three', 1),
    ];
    expect(await read({ numbering, body: items.join('') + wordParagraph('end') })).toEqual([
      'p 1. one',
      'p 1.1 deep',
      'p (i) deeper',
      'p - dot',
      'p 3. three',
      'p end',
    ]);
  });

  it('are part of headings that a style links to a list', async () => {
    const linked = [1, 2, 3].map((at) =>
      level(
        at - 1,
        ['Article %1', '%1.%2', '%1.%2.%3'][at - 1] ?? '',
        at === 1 ? 'upperRoman' : 'decimal',
        `<w:pStyle w:val="Heading${at}"/>${at > 1 ? '<w:isLgl/>' : ''}`,
      ),
    );
    const styles = [
      style('Heading1', `<w:pPr>${numPr(7)}</w:pPr>`),
      style('Heading2', `<w:basedOn w:val="Heading1"/><w:pPr>${numPr(undefined, 1)}</w:pPr>`),
      style('Heading3', `<w:pPr>${numPr(7)}</w:pPr>`),
      style('Clause', '<w:basedOn w:val="Heading3"/>'),
      style('Free1', `<w:basedOn w:val="Heading1"/><w:pPr>${numPr(0)}</w:pPr>`),
    ].join('');
    const body = [
      styled('Sale', 'Heading1'),
      styled('Delivery', 'Heading2'),
      styled('Returns', 'Heading2'),
      styled('By post', 'Heading3'),
      styled('Goods are sent back.', 'Clause'),
      styled('Annex', 'Heading1', numPr(0, 0)),
      styled('Aside', 'Free1'),
      styled('End', 'Heading1'),
    ].join('');
    expect(await read({ numbering: definition(3, ...linked) + num(7, 3), styles, body })).toEqual([
      'h1 Article I Sale',
      'h2 1.1 Delivery',
      'h2 1.2 Returns',
      'h3 1.2.1 By post',
      'p 1.2.2 Goods are sent back.',
      'h1 Annex',
      'p Aside',
      'h1 Article II End',
    ]);
  });

  it.each<[string, string, string, string[]]>([
    [
      'continue in a list of the same definition and restart in one with a start',
      OUTLINE + num(1, 0) + num(2, 0) + num(3, 0, restart(0, 5)),
      item('a', 1) + item('b', 2) + item('c', 3) + item('d', 3) + item('e', 1),
      ['p 1. a', 'p 2. b', 'p 5. c', 'p 6. d', 'p 7. e'],
    ],
    [
      'follow a level that the list overrides',
      OUTLINE + num(1, 0) + num(2, 0, override(0, level(0, '%1)', 'upperLetter'))),
      item('a', 1) + item('b', 2),
      ['p 1. a', 'p B) b'],
    ],
    [
      'never restart if their level says so',
      definition(0, level(0, '%1.'), level(1, '%2)', 'lowerLetter', '<w:lvlRestart w:val="0"/>')) + num(1, 0),
      item('x', 1) + item('y', 1, 1) + item('x', 1) + item('y', 1, 1),
      ['p 1. x', 'p a) y', 'p 2. x', 'p b) y'],
    ],
    [
      'have leading zeros in a custom format',
      definition(
        0,
        `<w:lvl w:ilvl="0"><w:start w:val="7"/><mc:AlternateContent xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"><mc:Choice Requires="w14"><w:numFmt w:val="custom" w:format="001, 002, 003, ..."/></mc:Choice><mc:Fallback><w:numFmt w:val="decimal"/></mc:Fallback></mc:AlternateContent><w:lvlText w:val="Rule %1:"/></w:lvl>`,
      ) + num(1, 0),
      item('x', 1),
      ['p Rule 007: x'],
    ],
    [
      'are empty, or a text, for levels without a number',
      definition(0, level(0, '', 'none'), level(1, 'Note:', 'none'), level(2, '%1-%2-%3', 'decimalZero')) + num(1, 0),
      item('x', 1) + item('y', 1, 1) + item('z', 1, 2),
      ['p x', 'p Note: y', 'p --01 z'],
    ],
    [
      'are missing for blank bullets, which mark the further paragraphs of an item',
      definition(0, level(0, ' ', 'bullet'), level(1, 'o', 'bullet')) + num(1, 0),
      item('x', 1) + item('y', 1, 1),
      ['p x', 'p - y'],
    ],
    [
      'take the level 0 when a paragraph names none, and are missing when there is no such list',
      OUTLINE + num(1, 0),
      wordParagraph('x', numPr(1)) + item('y', 9) + item('z', 1, 8),
      ['p 1. x', 'p y', 'p z'],
    ],
    [
      'are in the cells of tables',
      `${OUTLINE}${definition(1, level(0, '·', 'bullet'))}${num(1, 0)}${num(2, 1)}`,
      `<w:tbl>${[0, 1, 2].map((at) => `<w:tr><w:tc>${at === 0 ? wordParagraph('No.') : item(`r${at}`, 1)}</w:tc><w:tc>${item(at === 0 ? 'Mark' : 'dot', 2)}</w:tc></w:tr>`).join('')}</w:tbl>`,
      ['r1 No.=1. r1; Mark=dot', 'r2 No.=2. r2; Mark=dot'],
    ],
  ])('%s', async (_, numbering, body, expected) => expect(await read({ numbering, body })).toEqual(expected));

  it('do not count paragraphs and rows that a tracked change deletes', async () => {
    const mark = (tag: string): string => item('', 1, 0, `<w:rPr><w:${tag} w:id="1"/></w:rPr>`);
    const deletedRow = `<w:tbl><w:tr><w:trPr><w:del w:id="2"/></w:trPr><w:tc>${item('gone', 1)}</w:tc></w:tr></w:tbl>`;
    const body = item('a', 1) + mark('del') + item('b', 1) + mark('moveFrom') + mark('vanish') + deletedRow;
    const inserted = item('c', 1, 0, '<w:rPr><w:ins w:id="3"/></w:rPr>');
    const heading = item('d', 1, 0, '<w:rPr><w:vanish/><w:specVanish/></w:rPr>');
    const formatted = item('e', 1, 0, `<w:pPrChange w:id="4"><w:pPr>${numPr(0, 0)}</w:pPr></w:pPrChange>`);
    expect(
      await read({ numbering: OUTLINE + num(1, 0), body: body + inserted + heading + formatted + item('f', 1) }),
    ).toEqual(['p 1. a', 'p 2. b', 'p 3. c', 'p 4. d', 'p 5. e', 'p 6. f']);
  });

  it('count a text box once, although the file has it twice', async () => {
    const box = `<w:txbxContent>${item('in', 1)}</w:txbxContent>`;
    const body = `<w:p><w:r><mc:AlternateContent xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"><mc:Choice Requires="wps">${box}</mc:Choice><mc:Fallback><w:pict><v:shape xmlns:v="urn:schemas-microsoft-com:vml"><v:textbox>${box}</v:textbox></v:shape></w:pict></mc:Fallback></mc:AlternateContent></w:r></w:p>`;
    expect(await read({ numbering: OUTLINE + num(1, 0), body: item('a', 1) + body + item('b', 1) })).toEqual([
      'p 1. a',
      'p 2. in',
      'p 3. b',
    ]);
  });

  it('come from the list style to which a list refers', async () => {
    const numbering = `${definition(0, level(0, '§ %1'))}<w:abstractNum w:abstractNumId="4"><w:numStyleLink w:val="Law"/></w:abstractNum>${num(1, 0)}${num(2, 4)}`;
    const styles = `<w:style w:type="numbering" w:styleId="Law"><w:pPr>${numPr(1)}</w:pPr></w:style>`;
    expect(await read({ numbering, styles, body: item('a', 2) + item('b', 2) })).toEqual(['p § 1 a', 'p § 2 b']);
  });

  it('come from the style of all paragraphs, with any prefix of the namespace', async () => {
    const styles = style('Normal', `<w:pPr>${numPr(1)}</w:pPr>`, 'w:default="1"');
    const body = '<w:p><w:r><w:t>a</w:t></w:r></w:p><w:p/><w:p><w:r><w:t>b</w:t></w:r></w:p>';
    expect(await read({ numbering: OUTLINE + num(1, 0), styles, body })).toEqual(['p 1. a', 'p 3. b']);
    const strict = (xml: string): string =>
      xml
        .replaceAll('w:', 'x:')
        .replace('xmlns:w', 'xmlns:x')
        .replace(/"http[^"]*"/, '"http://purl.oclc.org/ooxml/wordprocessingml/main"');
    const more = [
      { name: 'word/numbering.xml', content: strict(`<w:numbering ${W}>${OUTLINE}${num(1, 0)}</w:numbering>`) },
      { name: 'word/document.xml', content: strict(`<w:document ${W}><w:body>${item('a', 1)}</w:body></w:document>`) },
    ];
    expect((await extractBytes(extractDocx, wordFile({ body: '', more }))).lines).toEqual(['p 1. a']);
  });

  it('stay within bounds for styles in a circle, enormous starts and hostile labels', async () => {
    const huge = `<w:lvl w:ilvl="0"><w:start w:val="2147483647"/><w:numFmt w:val="upperRoman"/><w:lvlText w:val="&lt;b&gt; &quot;%1&quot; &amp;${'x'.repeat(1_000)}"/></w:lvl>`;
    const styles =
      style('Heading1', '<w:basedOn w:val="Heading2"/>') + style('Heading2', '<w:basedOn w:val="Heading1"/>');
    const body = styled('round', 'Heading1') + item('a', 1);
    const [heading, paragraph = ''] = await read({ numbering: definition(0, huge) + num(1, 0), styles, body });
    expect(heading).toBe('h1 round');
    expect(paragraph).toMatch(/^p <b> "2147483647" &x{1,200} a$/);
  });

  it('are not guessed: a document with a damaged list part is reported as damaged', async () => {
    const numbering = `${OUTLINE}<w:num w:numId="1">`;
    await expect(read({ numbering, body: item('a', 1) })).rejects.toMatchObject({ code: 'FILE_CORRUPT' });
  });

  it('leave cross-references and typed numbers as they are', async () => {
    const reference =
      '<w:p><w:r><w:t xml:space="preserve">see </w:t></w:r><w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText> REF _Ref1 \\r \\h </w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r><w:r><w:t>4.2</w:t></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r></w:p>';
    const body = reference + wordParagraph('3. typed') + item('a', 1);
    expect(await read({ numbering: OUTLINE + num(1, 0), body })).toEqual(['p see 4.2', 'p 3. typed', 'p 1. a']);
  });
});
