/** A text on a page; the position of its first letter in points, from the left and from the top. */
export interface PdfText {
  x: number;
  y: number;
  text: string;
  size?: number;
  bold?: boolean;
}

export type PdfImage = 'image';

const HEIGHT = 792;

/** A PDF with pages of 612 by 792 points in Helvetica; the content has the given order. */
export function writtenPdf(pages: (PdfText | PdfImage)[][], options: { encrypted?: boolean } = {}): Buffer {
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Count ${pages.length} /Kids [${pages.map((_, at) => `${6 + 2 * at} 0 R`).join(' ')}] >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>',
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold /Encoding /WinAnsiEncoding >>',
    // Hashes of an unknown password.
    `<< /Filter /Standard /V 1 /R 2 /P -4 /O <${'a1'.repeat(32)}> /U <${'b2'.repeat(32)}> >>`,
    ...pages.flatMap((page, at) => [pageObject(7 + 2 * at), stream(page.map(operators).join('\n'))]),
  ];
  return Buffer.from(file(objects, options.encrypted ? '/Encrypt 5 0 R /ID [<00> <00>]' : ''), 'latin1');
}

const pageObject = (contents: number): string =>
  `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 ${HEIGHT}] /Contents ${contents} 0 R ` +
  '/Resources << /Font << /Plain 3 0 R /Bold 4 0 R >> >> >>';

const stream = (content: string): string => `<< /Length ${content.length} >>\nstream\n${content}\nendstream`;

function operators(item: PdfText | PdfImage): string {
  if (item === 'image') return 'q 500 0 0 700 50 50 cm BI /W 1 /H 1 /BPC 8 /CS /G ID x EI Q';
  const { x, y, text, size = 12, bold = false } = item;
  const escaped = text.replace(/[\\()]/g, String.raw`\$&`);
  return `BT /${bold ? 'Bold' : 'Plain'} ${size} Tf ${x} ${HEIGHT - y} Td (${escaped}) Tj ET`;
}

function file(objects: string[], trailer: string): string {
  let text = '%PDF-1.7\n';
  const offsets = objects.map((object, at) => {
    const offset = text.length;
    text += `${at + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(offset).padStart(10, '0')} 00000 n \n`;
  });
  const size = objects.length + 1;
  return `${text}xref\n0 ${size}\n0000000000 65535 f \n${offsets.join('')}trailer << /Size ${size} /Root 1 0 R ${trailer} >>\nstartxref\n${text.length}\n%%EOF`;
}
