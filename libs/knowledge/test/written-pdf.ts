/** A text on a page; the position of its first letter in points, from the left and from the top. */
export interface PdfText {
  x: number;
  y: number;
  text: string;
  size?: number;
  bold?: boolean;
}

/**
 * Glyphs of a font without a file, 0.6 em wide each: `glyphs` are the texts to which its ToUnicode map assigns them. They are
 * drawn from left to right, `down` from top to bottom (Identity-V).
 */
export interface PdfGlyphs {
  x: number;
  y: number;
  glyphs: readonly string[];
  size?: number;
  down?: boolean;
}

export type PdfImage = 'image';

/** A line from one point to another, in points from the left and from the top. */
export interface PdfRule {
  from: [x: number, y: number];
  to: [x: number, y: number];
}

/**
 * An annotation or form field; `entries` are those of its dictionary as written in the file, such as `/FT /Tx /V (Ada)`. `box`:
 * left, top, right and bottom in points, from the left and from the top.
 */
export interface PdfAnnotation {
  box: [left: number, top: number, right: number, bottom: number];
  entries: string;
  /** Text drawn by its appearance stream, in Helvetica. */
  drawn?: string;
  /** Name of the state to which the appearance belongs, such as `Yes` of a checked box. */
  state?: string;
}

export type PdfItem = PdfText | PdfGlyphs | PdfImage | PdfRule | PdfAnnotation;

const HEIGHT = 792;
/** Objects before those of the pages. */
const SHARED = { catalog: 1, pages: 2, plain: 3, bold: 4, encryption: 5, across: 6, down: 7, unicode: 8, font: 9 };
const FIRST_PAGE = 10;

/** A PDF with pages of 612 by 792 points in Helvetica; the content has the given order. `catalog`: further entries of its catalogue. */
export function writtenPdf(pages: PdfItem[][], options: { encrypted?: boolean; catalog?: string } = {}): Buffer {
  const meanings = [...new Set(pages.flat().flatMap((item) => (isGlyphs(item) ? item.glyphs : [])))];
  const parts = pagesWith(pages, meanings);
  const fields = parts.flatMap(({ fields: own }) => own);
  const form =
    fields.length === 0 ? '' : `/AcroForm << /Fields [${fields.join(' ')}] /DR << /Font << /Helv 3 0 R >> >> >>`;
  const objects = [
    `<< /Type /Catalog /Pages ${SHARED.pages} 0 R ${form} ${options.catalog ?? ''} >>`,
    `<< /Type /Pages /Count ${pages.length} /Kids [${parts.map(({ number }) => `${number} 0 R`).join(' ')}] >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>',
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold /Encoding /WinAnsiEncoding >>',
    // Hashes of an unknown password.
    `<< /Filter /Standard /V 1 /R 2 /P -4 /O <${'a1'.repeat(32)}> /U <${'b2'.repeat(32)}> >>`,
    compositeFont('Identity-H'),
    compositeFont('Identity-V'),
    stream(unicodeMap(meanings)),
    '<< /Type /Font /Subtype /CIDFontType2 /BaseFont /Mapped /DW 600 /FontDescriptor << /Type /FontDescriptor ' +
      '/FontName /Mapped /Flags 4 /FontBBox [0 -200 1000 800] /Ascent 800 /Descent -200 /StemV 80 /ItalicAngle 0 ' +
      '/CapHeight 700 >> /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> >>',
    ...parts.flatMap((part) => part.objects),
  ];
  return Buffer.from(file(objects, options.encrypted ? '/Encrypt 5 0 R /ID [<00> <00>]' : ''), 'latin1');
}

interface PageObjects {
  number: number;
  objects: string[];
  /** References to its form fields. */
  fields: string[];
}

function pagesWith(pages: PdfItem[][], meanings: readonly string[]): PageObjects[] {
  let next = FIRST_PAGE;
  return pages.map((items) => {
    const number = next;
    const annotations = items.filter(isAnnotation);
    const contents = items.flatMap((item) => (isAnnotation(item) ? [] : [operators(item, meanings)]));
    const objects = ['', stream(contents.join('\n'))];
    const references = annotations.map((annotation) => {
      const appearance = annotation.drawn === undefined ? undefined : number + objects.push(drawing(annotation)) - 1;
      return `${number + objects.push(annotationObject(annotation, appearance)) - 1} 0 R`;
    });
    objects[0] = pageObject(number + 1, references);
    next += objects.length;
    return { number, objects, fields: references.filter((_, at) => annotations[at]?.entries.includes('/FT')) };
  });
}

const isGlyphs = (item: PdfItem): item is PdfGlyphs => item !== 'image' && 'glyphs' in item;

const isAnnotation = (item: PdfItem): item is PdfAnnotation => item !== 'image' && 'entries' in item;

const pageObject = (contents: number, annotations: readonly string[]): string =>
  `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 ${HEIGHT}] /Contents ${contents} 0 R ` +
  `/Annots [${annotations.join(' ')}] /Resources << /Font << /Plain 3 0 R /Bold 4 0 R /Across 6 0 R /Down 7 0 R >> >> >>`;

function annotationObject(
  { box: [left, top, right, bottom], entries, state }: PdfAnnotation,
  appearance?: number,
): string {
  const normal = state === undefined ? `${appearance} 0 R` : `<< /${state} ${appearance} 0 R /Off ${appearance} 0 R >>`;
  const look = appearance === undefined ? '' : `/AP << /N ${normal} >>`;
  const type = entries.includes('/Subtype') ? '' : '/Subtype /Widget /F 4 /DA (/Helv 10 Tf 0 g)';
  return `<< /Type /Annot ${type} /Rect [${left} ${HEIGHT - bottom} ${right} ${HEIGHT - top}] ${entries} ${look} >>`;
}

function drawing({ box: [left, top, right, bottom], drawn = '' }: PdfAnnotation): string {
  const content = `BT /Helv 10 Tf 2 3 Td (${escape(drawn)}) Tj ET`;
  const head = `/Type /XObject /Subtype /Form /BBox [0 0 ${right - left} ${bottom - top}] /Resources << /Font << /Helv 3 0 R >> >>`;
  return stream(content, head);
}

const stream = (content: string, head = ''): string =>
  `<< ${head} /Length ${content.length} >>\nstream\n${content}\nendstream`;

const escape = (text: string): string => text.replace(/[\\()]/g, String.raw`\$&`);

function operators(item: Exclude<PdfItem, PdfAnnotation>, meanings: readonly string[]): string {
  if (item === 'image') return 'q 500 0 0 700 50 50 cm BI /W 1 /H 1 /BPC 8 /CS /G ID x EI Q';
  if ('from' in item) return `${item.from[0]} ${HEIGHT - item.from[1]} m ${item.to[0]} ${HEIGHT - item.to[1]} l S`;
  if (isGlyphs(item)) {
    const { x, y, glyphs, size = 12, down = false } = item;
    const codes = glyphs.map((glyph) => hex(meanings.indexOf(glyph) + 1)).join('');
    return `BT /${down ? 'Down' : 'Across'} ${size} Tf ${x} ${HEIGHT - y} Td <${codes}> Tj ET`;
  }
  const { x, y, text, size = 12, bold = false } = item;
  return `BT /${bold ? 'Bold' : 'Plain'} ${size} Tf ${x} ${HEIGHT - y} Td (${escape(text)}) Tj ET`;
}

const hex = (code: number): string => code.toString(16).padStart(4, '0');

const compositeFont = (encoding: string): string =>
  `<< /Type /Font /Subtype /Type0 /BaseFont /Mapped /Encoding /${encoding} ` +
  `/DescendantFonts [${SHARED.font} 0 R] /ToUnicode ${SHARED.unicode} 0 R >>`;

function unicodeMap(meanings: readonly string[]): string {
  const lines = meanings.map(
    (text, at) =>
      `<${hex(at + 1)}> <${[...Array(text.length).keys()].map((unit) => hex(text.charCodeAt(unit))).join('')}>`,
  );
  return (
    '/CIDInit /ProcSet findresource begin\n12 dict begin\nbegincmap\n/CMapName /Mapped def\n/CMapType 2 def\n' +
    '1 begincodespacerange\n<0000> <ffff>\nendcodespacerange\n' +
    `${lines.length} beginbfchar\n${lines.join('\n')}\nendbfchar\nendcmap\nend\nend`
  );
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
