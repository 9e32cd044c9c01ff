import { describe, expect, it } from '@jest/globals';
import { fileTypeOf, shownFileName } from './document-formats.js';

describe('the name of an uploaded file', () => {
  it.each([
    ['terms.pdf', 'terms.pdf'],
    ['/etc/passwd.txt', 'passwd.txt'],
    ['C:\\Users\\me\\Terms & conditions.docx', 'Terms & conditions.docx'],
    ['../../x.md', 'x.md'],
    ['a\r\nSet-Cookie: b.txt', 'aSet-Cookie: b.txt'],
    ['cod\u202efdp.exe.pdf', 'codfdp.exe.pdf'],
    ['  prices.csv ', 'prices.csv'],
    ['Größe – 価格表.csv', 'Größe – 価格表.csv'],
    ['u\u0308ber.txt', 'über.txt'],
    ['a\ud800.txt', 'a.txt'],
    ['x\u200dy.txt', 'x\u200dy.txt'],
    ['', ''],
  ])('%j is shown as %j', (given, shown) => expect(shownFileName(given)).toBe(shown));

  it('keeps its extension when it is shortened', () => {
    const shown = shownFileName(`${'😀'.repeat(300)}.docx`);
    expect(Array.from(shown)).toHaveLength(255);
    expect(shown).toMatch(/😀\.docx$/);
  });

  it.each([
    ['a.PDF', 'pdf'],
    ['a.b.Md', 'md'],
    ['a.html', undefined],
    ['a.pdf.exe', undefined],
    ['pdf', undefined],
    ['.csv', 'csv'],
    ['a.', undefined],
    ['a.__proto__', undefined],
  ])('%j has the type %s', (name, type) => expect(fileTypeOf(name)).toBe(type));
});
