import { expect, describe, it } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import iconv from 'iconv-lite';
import { documentPath, largeOnly, OFFICE_FOLDERS } from '../../../../test/support/test-data.js';
import { compoundFile } from '../../../../test/support/doc-file.js';
import { wordFile, wordParagraph } from '../../../../test/support/word-file.js';
import { zipFile } from '../../../../test/support/zip-file.js';
import type { DocumentType } from './document-formats.js';
import { sniff, sniffBytes } from './sniff.js';

const word = wordFile({ body: wordParagraph('Hello') });
const office = (folder: string): Buffer =>
  zipFile([
    { name: '[Content_Types].xml', content: '' },
    { name: `${folder}/main.xml`, content: '' },
  ]);
const archive = (mediaType: string): Buffer => zipFile([{ name: 'mimetype', content: mediaType }]);
const MSO = '<?xml version="1.0" encoding="UTF-8"?>\r\n<?mso-application progid="Word.Document"?>\r\n';
const WORD_2003 = `${MSO}<w:wordDocument xmlns:w="http://schemas.microsoft.com/office/word/2003/wordml"><w:body/>`;
const FLAT_OPC = `${MSO}<pkg:package xmlns:pkg="http://schemas.microsoft.com/office/2006/xmlPackage">`;
const program = Buffer.concat([Buffer.from('MZ\x90\0\x03\0'), Buffer.alloc(100)]);

/** The detected type, or code and sentence of the problem. */
const resultOf = (bytes: Buffer | string, claimed: DocumentType): Promise<string> =>
  sniffBytes(Buffer.from(bytes), claimed).catch(
    (error: { code: string; sentence: string }) => `${error.code} ${error.sentence}`,
  );

describe('the type check of an uploaded file', () => {
  it.each<[DocumentType, Buffer | string]>([
    ['pdf', '%PDF-1.4 …'],
    ['pdf', 'some bytes of a mail gateway\n%PDF-1.4 …'],
    ['docx', word],
    ['docx', Buffer.concat([word, Buffer.from('\0\0\0\0 appended by a scanner')])],
    ['txt', 'plain'],
    ['txt', '<!doctype html><p>the source of a page'],
    ['md', '# Title'],
    ['txt', WORD_2003],
    ['txt', 'MIME-Version: 1.0\nA mail that was saved as text.'],
    ['html', '<p>no head'],
    ['csv', 'a,b\n1,2'],
    ['csv', iconv.encode('größe;preis\n1;2\n', 'utf-16le')],
    ['txt', iconv.encode('Привет, как дела? Хорошо', 'utf-16be')],
    ['txt', 'MZ is how this sentence begins'],
    ['txt', Buffer.from([0xff, 0xfe, 0x41, 0x00])],
  ])('accepts a file of type %s', async (type, bytes) => expect(await resultOf(bytes, type)).toBe(type));
});

describe('the type check of a file with another content', () => {
  it.each<[DocumentType, Buffer | string, string]>([
    ['docx', '%PDF-1.4 …', 'TYPE_MISMATCH The file is named .docx but is a PDF.'],
    ['txt', '%PDF-1.4 …', 'TYPE_MISMATCH The file is named .txt but is a PDF.'],
    ['docx', office('xl'), 'TYPE_MISMATCH The file is named .docx but is an Excel workbook (XLSX).'],
    ['docx', office('ppt'), 'TYPE_MISMATCH The file is named .docx but is a PowerPoint presentation (PPTX).'],
    ['docx', archive('application/x'), 'TYPE_MISMATCH The file is named .docx but is an OpenDocument or EPUB file.'],
    ['doc', word, 'TYPE_MISMATCH The file is named .doc but is a Word document (DOCX).'],
    ['csv', word, 'TYPE_MISMATCH The file is named .csv but is a Word document (DOCX).'],
    ['md', word.subarray(0, 100), 'TYPE_MISMATCH The file is named .md but is a ZIP archive.'],
    ['csv', program, 'TYPE_MISMATCH The file is named .csv but is a Windows program.'],
    ['pdf', '<html><body>Sign in', 'TYPE_MISMATCH The file is named .pdf but is a web page (HTML).'],
    ['csv', '\n<!DOCTYPE HTML>', 'TYPE_MISMATCH The file is named .csv but is a web page (HTML).'],
    ['pdf', 'just words', 'TYPE_MISMATCH The file is named .pdf but is plain text.'],
    ['txt', Buffer.alloc(5000), 'TYPE_MISMATCH The file is named .txt but is a binary file.'],
    ['csv', 'a,b\n1,\0\n', 'TYPE_MISMATCH The file is named .csv but is a binary file.'],
    ['md', Buffer.from([0x89, 0x50, 0x4e, 0x47, 1, 2]), 'TYPE_MISMATCH The file is named .md but is a PNG image.'],
    ['doc', '{\\rtf1 Hello}', 'UNSUPPORTED_FORMAT The file is an RTF document, a format that is not supported.'],
    [
      'doc',
      Buffer.from([0xdb, 0xa5, 0x2d, 0, 0, 0]),
      'UNSUPPORTED_FORMAT The file is an old Word document, a format that is not supported.',
    ],
    ['docx', word.subarray(0, 300), 'FILE_CORRUPT The file is damaged or truncated.'],
    ['txt', '', 'EMPTY The file is empty.'],
  ])('rejects a file named .%s and names its real type', async (claimed, bytes, expected) =>
    expect(await resultOf(bytes, claimed)).toBe(expected),
  );
});

describe('a document of an office program with the extension of Word', () => {
  const unsupported = (name: string): string =>
    `UNSUPPORTED_FORMAT The file is ${name}, a format that is not supported.`;
  const other = (name: string): string => `TYPE_MISMATCH The file is named .doc but is ${name}.`;
  const mail = 'From: <Saved by Microsoft Word>\r\nSubject:\r\nMIME-Version: 1.0\r\nContent-Type: multipart/related;';

  it.each<[Buffer | string, string]>([
    [WORD_2003, unsupported('a Word 2003 XML document')],
    [`\ufeff${WORD_2003}`, unsupported('a Word 2003 XML document')],
    [iconv.encode(WORD_2003, 'utf-16le', { addBOM: true }), unsupported('a Word 2003 XML document')],
    [FLAT_OPC, unsupported('a Word XML document (flat OPC)')],
    [mail, unsupported('a web archive (MHTML)')],
    ['MIME-Version: 1.0\r\nContent-Type: multipart/related', unsupported('a web archive (MHTML)')],
    ['{\\rtf1\\ansi Hello}', unsupported('an RTF document')],
    [Buffer.from([0xdc, 0xa5, 0x68, 0, 0, 0]), unsupported('a Word 6 or Word 95 document')],
    [Buffer.from([0xfe, 0x37, 0, 0x23, 0, 0]), unsupported('an old Word document (for Macintosh)')],
    ['<html xmlns:o="urn:schemas-microsoft-com:office:office"><head>', other('a web page (HTML)')],
    ['<?xml version="1.0"?><?mso-application progid="Excel.Sheet"?><Workbook>', other('an Excel 2003 XML workbook')],
    ['<?xml version="1.0"?><office:document office:version="1.3">', other('a flat OpenDocument file')],
    [archive('application/vnd.oasis.opendocument.text'), other('an OpenDocument text (ODT)')],
    [archive('application/vnd.oasis.opendocument.spreadsheet'), other('an OpenDocument spreadsheet (ODS)')],
    [archive('application/epub+zip'), other('an EPUB book')],
    [zipFile([{ name: 'Index/Document.iwa', content: '' }]), other('an Apple document (Pages, Numbers or Keynote)')],
    [zipFile([{ name: 'photo.jpg', content: '' }]), other('a ZIP archive')],
    [Buffer.from([9, 4, 6, 0, 0, 0, 0x10, 0]), other('an old Excel workbook (XLS)')],
    ['<note><to>you</to></note>', other('plain text')],
  ])('is named for what it is (%#)', async (bytes, expected) => expect(await resultOf(bytes, 'doc')).toBe(expected));

  it.each<[string, string]>([
    ['Workbook', 'an Excel workbook (XLS)'],
    ['PowerPoint Document', 'a PowerPoint presentation (PPT)'],
    ['\u0005HwpSummaryInformation', 'a Hangul document (HWP)'],
    ['unknown', 'an Office file of another kind'],
  ])('is named for its stream %j', async (stream, name) =>
    expect(await resultOf(compoundFile({ [stream]: Buffer.alloc(100) }), 'doc')).toBe(other(name)),
  );

  it('of Word 95 is named for it, although its container is that of Word 97', async () => {
    const header = Buffer.alloc(100);
    header.writeUInt16LE(0xa5dc, 0);
    header.writeUInt16LE(104, 2);
    expect(await resultOf(compoundFile({ WordDocument: header }), 'doc')).toBe(
      unsupported('a Word 6 or Word 95 document'),
    );
  });
});

describe('a ZIP bomb', () => {
  const doc = (size: number, content = ''): Buffer =>
    wordFile({ body: '', more: [{ name: 'word/x.xml', content, declaredSize: size }] });

  it.each<[string, Buffer, string]>([
    ['by its total', doc(201 * 1024 * 1024), 'TOO_LARGE_EXPANDED The file unpacks to 201 MB; 200 MB are allowed.'],
    [
      'by its ratio',
      doc(2_000_000, 'x'),
      'TOO_LARGE_EXPANDED A part of the file unpacks to more than 200 times its size.',
    ],
    [
      'by its number of parts',
      zipFile(Array.from({ length: 5_001 }, (_, n) => ({ name: `${n}`, content: '' }))),
      'TOO_LARGE_EXPANDED The file consists of more than 5,000 parts.',
    ],
  ])('is rejected %s', async (_, bytes, expected) => expect(await resultOf(bytes, 'docx')).toBe(expected));

  it('is not confused with a small part that is mostly white space', async () => {
    const more = [{ name: 'word/theme.xml', content: ' '.repeat(900_000) }];
    expect(await resultOf(wordFile({ body: '', more }), 'docx')).toBe('docx');
  });

  it('with an encrypted part is rejected as FILE_ENCRYPTED', async () => {
    const more = [{ name: 'word/x.xml', content: 'x', isEncrypted: true }];
    expect(await resultOf(wordFile({ body: '', more }), 'docx')).toMatch(/^FILE_ENCRYPTED/);
  });
});

describe('documents of other programs', () => {
  const REFUSED: Record<string, string> = {
    'odd/protected.docx': 'FILE_ENCRYPTED',
    'odd/protected.doc': 'FILE_ENCRYPTED',
    'real/protected_normal_case.docx': 'FILE_ENCRYPTED',
    'real/testWORD_protected_passtika.docx': 'FILE_ENCRYPTED',
    'real/testWORD_protected_passtika.doc': 'FILE_ENCRYPTED',
    'real/testWORD6.doc': 'UNSUPPORTED_FORMAT',
    'real/testWORD_truncated.docx': 'FILE_CORRUPT',
  };
  const sniffFile = (name: string): Promise<string> =>
    sniff(documentPath(name), typeOf(name)).catch((error: { code: string }) => error.code);
  const typeOf = (name: string): DocumentType => name.slice(name.lastIndexOf('.') + 1) as DocumentType;

  it.each(['handbook', 'odd', ...largeOnly('real', 'made')])(
    '%s: each is taken for what it is, or refused by a code',
    async (folder) => {
      const files = readdirSync(documentPath(`${folder}/`)).filter((name) => !name.endsWith('.json'));
      for (const name of files.map((file) => `${folder}/${file}`)) {
        expect([name, await sniffFile(name)]).toEqual([name, REFUSED[name] ?? typeOf(name)]);
      }
    },
  );

  it('are reported as damaged if a DOCX is truncated', async () => {
    const whole = readFileSync(documentPath('handbook/en_one.docx'));
    expect(await resultOf(whole.subarray(0, whole.length / 2), 'docx')).toMatch(/^FILE_CORRUPT/);
  });

  it.each(OFFICE_FOLDERS)(
    '%s: a DOC cut anywhere is damaged, or read no further than its directory',
    async (folder) => {
      const whole = readFileSync(documentPath(`${folder}/en_one.doc`));
      for (let length = 8; length < whole.length; length += 997) {
        expect(await resultOf(whole.subarray(0, length), 'doc')).toMatch(/^(?:doc$|FILE_CORRUPT)/);
      }
    },
  );
});
