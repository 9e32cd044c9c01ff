import { describe, expect, it } from '@jest/globals';
import { outline, readPdf } from '../../../test/read-pdf.js';
import type { PdfAnnotation, PdfItem } from '../../../test/written-pdf.js';
import { growsLinearly } from '../../../../../test/support/growth.js';

const field = (x: number, y: number, entries: string, more: Partial<PdfAnnotation> = {}): PdfAnnotation => ({
  box: [x, y - 12, x + 150, y + 4],
  entries,
  ...more,
});

const box = (x: number, y: number, state: 'Yes' | 'Off' | 'Gold', entries: string): PdfAnnotation => ({
  box: [x, y - 10, x + 12, y + 2],
  entries: `/FT /Btn ${entries} /AS /${state}`,
  drawn: 'x',
  state: state === 'Off' ? 'Yes' : state,
});

async function read(...items: PdfItem[]): Promise<string[]> {
  const { blocks } = await readPdf([[...items, { x: 72, y: 700, text: 'End of the form.' }]]);
  return outline(blocks).slice(0, -1);
}

describe('a PDF form', () => {
  it('is read with the values of its fields behind their labels', async () => {
    expect(
      await read(
        { x: 72, y: 100, text: 'Name:' },
        { x: 330, y: 100, text: 'Born:' },
        { x: 72, y: 160, text: 'Country' },
        field(120, 100, '/FT /Tx /T (name) /TU (Your full name) /V (Ada Lovelace)', { drawn: 'Ada Lovelace' }),
        field(380, 100, '/FT /Tx /T (born) /V (10 December 1815)'),
        field(140, 160, '/FT /Ch /Ff 131072 /T (country) /V (de) /Opt [[(de) (Germany)] [(fr) (France)]]'),
      ),
    ).toEqual(['Name: Ada Lovelace Born: 10 December 1815', 'Country Germany']);
  });

  it('is read with the tooltip of a field without a label, and without passwords, hidden and empty fields', async () => {
    expect(
      await read(
        field(72, 100, '/FT /Tx /T (note) /TU (Remarks) /V (Calls only after six)'),
        field(72, 200, '/FT /Tx /T (pin) /Ff 8192 /V (4711)'),
        field(72, 300, '/Subtype /Widget /F 2 /FT /Tx /T (secret) /V (hidden)'),
        field(72, 400, '/FT /Tx /T (empty) /TU (Nothing here)'),
      ),
    ).toEqual(['Remarks: Calls only after six']);
  });

  it('is read with its boxes, checked or not, before their labels', async () => {
    expect(
      await read(
        { x: 92, y: 100, text: 'Newsletter' },
        box(72, 100, 'Yes', '/T (news) /V /Yes'),
        { x: 92, y: 130, text: 'Advertising' },
        box(72, 130, 'Off', '/T (ads)'),
        box(72, 200, 'Gold', '/Ff 32768 /T (plan) /TU (Chosen plan) /V /Gold'),
        box(72, 250, 'Off', '/T (other) /TU (Not chosen)'),
      ),
    ).toEqual(['☒ Newsletter', '☐ Advertising', '☒ Chosen plan: Gold']);
  });

  it('is read with values in the blanks of a line', async () => {
    expect(
      await read(
        { x: 72, y: 100, text: 'Phone: ________ Mail: ________' },
        { box: [115, 90, 160, 104], entries: '/FT /Tx /T (phone) /V (555 1234)' },
        { box: [200, 90, 260, 104], entries: '/FT /Tx /T (mail) /V (ada@example.com)' },
      ),
    ).toEqual(['Phone: 555 1234 Mail: ada@example.com']);
  });

  it('is read with each value once if it is also part of the page', async () => {
    expect(await read({ x: 72, y: 100, text: 'City: Paris' }, field(100, 100, '/FT /Tx /T (city) /V (Paris)'))).toEqual(
      ['City: Paris'],
    );
  });

  it('is read with a table of fields in rows', async () => {
    const cells = ['Item', 'Amount', 'Price'].map((text, at) => ({ x: [72, 250, 420][at]!, y: 100, text }));
    const row = (y: number, name: string, values: string[]): PdfItem[] => [
      { x: 72, y, text: name },
      ...values.map((value, at) => ({
        box: [[250, 404][at]!, y - 12, [404, 560][at]!, y + 4] as PdfAnnotation['box'],
        entries: `/FT /Tx /T (${name}${at}) /V (${value})`,
      })),
    ];
    expect(
      await read(...cells, ...row(124, 'Bolts', ['200', '12 EUR']), ...row(148, 'Nuts', ['300', '9 EUR'])),
    ).toEqual(['Bolts | 200 | 12 EUR', 'Nuts | 300 | 9 EUR']);
  });

  it('counts as text even if nothing else is printed', async () => {
    const { blocks, facts } = await readPdf([
      ['image', field(72, 100, '/FT /Tx /T (name) /TU (Name) /V (Ada Lovelace)')],
    ]);
    expect([outline(blocks), facts]).toEqual([['Name: Ada Lovelace'], { pages: 1 }]);
  });
});

describe('notes on a PDF page', () => {
  it('are read at their place if they are printed', async () => {
    expect(
      await read(
        { x: 72, y: 100, text: 'We are open every day.' },
        field(72, 160, '/Subtype /FreeText /Contents (Closed on Mondays in May) /DA (/Helv 10 Tf)'),
        field(72, 220, '/Subtype /Stamp /F 4', { drawn: 'Checked by Miller' }),
        field(72, 260, '/Subtype /Text /Contents (a sticky note)'),
        field(72, 300, '/Subtype /FreeText /F 2 /Contents (a hidden note) /DA (/Helv 10 Tf)'),
        field(72, 340, '/Subtype /Highlight /Contents (a comment)'),
      ),
    ).toEqual(['We are open every day.', 'Closed on Mondays in May', 'Checked by Miller']);
  });
});

describe('a PDF with links', () => {
  const link = (x: number, y: number, address: string): PdfAnnotation =>
    field(x, y, `/Subtype /Link /A << /S /URI /URI (${address}) >>`);

  it('is read with mail addresses and numbers behind the words of the link, unless the page has them', async () => {
    expect(
      await read(
        { x: 72, y: 100, text: 'Email us' },
        link(72, 100, 'mailto:help@example.com?subject=Hi'),
        { x: 72, y: 160, text: 'Call 030 1234567' },
        link(72, 160, 'tel:+49301234567'),
        { x: 72, y: 220, text: 'Our site' },
        link(72, 220, 'https://example.com'),
      ),
    ).toEqual(['Email us (help@example.com)', 'Call 030 1234567', 'Our site']);
  });

  it('is read in linear time with many links', async () => {
    const readMany = (count: number): Promise<string[]> => {
      const rows = Array.from({ length: count }, (_, n) => [
        { x: 72, y: 20 + n, size: 1, text: `Person ${n} ${'with a long description '.repeat(4)}` },
        link(72, 20 + n, `mailto:person${n}@example.com`),
      ]);
      return read(...rows.flat());
    };
    expect((await readMany(600)).join(' ')).toContain('(person599@example.com)');
    expect(await growsLinearly(readMany, 600)).toBe(true);
  });
});
