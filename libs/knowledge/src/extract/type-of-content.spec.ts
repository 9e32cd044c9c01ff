import { describe, expect, it } from '@jest/globals';
import { writtenPdf } from '../../test/written-pdf.js';
import { type ExpectedContent, typeOfBytes } from './type-of-content.js';

const PDF = writtenPdf([]);
const HTML = '<!doctype html><html><body><p>Open from nine to five.</p></body></html>';

describe('the type of a fetched file', () => {
  it.each<[string, string | Buffer, ExpectedContent, string]>([
    ['a PDF without a type', PDF, { text: 'txt' }, 'pdf'],
    ['a PDF declared as a page', PDF, { type: 'html', text: 'html' }, 'pdf'],
    ['a PDF declared as plain text', PDF, { type: 'txt', text: 'txt' }, 'pdf'],
    ['a PDF after other bytes', Buffer.concat([Buffer.from([0, 255, 0, 10]), PDF]), { text: 'txt' }, 'pdf'],
    ['a page declared as plain text', HTML, { type: 'txt', text: 'txt' }, 'html'],
    ['a page declared as an image', HTML, {}, 'html'],
    ['a PDF declared as an image', PDF, {}, 'pdf'],
    ['a PDF declared as Word', PDF, { type: 'docx' }, 'pdf'],
    ['a page declared as XML', `<?xml version="1.0"?>\n${HTML}`, {}, 'html'],
    ['a page without doctype and type', '<div><p>Open from nine to five.</p></div>', { text: 'txt' }, 'html'],
    ['a fragment declared as a page', 'Open <b>daily</b>', { type: 'html', text: 'html' }, 'html'],
    ['a text without a type', 'Open from nine to five.', { text: 'txt' }, 'txt'],
    ['a text that mentions <p>', 'The element <p> begins a paragraph.', { text: 'txt' }, 'txt'],
    ['a Markdown file that begins with markup', '<p>Hello</p>\n\n# Title', { type: 'md', text: 'md' }, 'md'],
    ['a table declared as an octet stream', 'a,b\n1,2', { type: 'csv', text: 'csv' }, 'csv'],
    ['a text that mentions %PDF-', 'The signature is %PDF-1.7.', { text: 'txt' }, 'txt'],
  ])('is decided by the bytes: %s', async (_, content, expected, type) => {
    expect(await typeOfBytes(Buffer.from(content), expected)).toBe(type);
  });

  it('is a mismatch for a page in place of a file, such as a page of sign-in', async () => {
    const refused = typeOfBytes(Buffer.from(HTML), { type: 'pdf' });
    await expect(refused).rejects.toMatchObject({ code: 'TYPE_MISMATCH', sentence: expect.stringContaining('a PDF') });
  });

  it.each<[string, string | Buffer, ExpectedContent, RegExp]>([
    ['an image declared as a page', Buffer.from('89504e470d0a1a0a00', 'hex'), { type: 'html', text: 'html' }, /PNG/],
    ['JSON', '{"a": 1}', {}, /neither a page nor a document/],
    ['a binary file', Buffer.from([1, 0, 2, 0, 0, 0, 3]), { text: 'txt' }, /binary/],
  ])('is unsupported for %s', async (_, content, expected, sentence) => {
    const refused = typeOfBytes(Buffer.from(content), expected);
    await expect(refused).rejects.toMatchObject({
      code: 'UNSUPPORTED_FORMAT',
      sentence: expect.stringMatching(sentence),
    });
  });
});
