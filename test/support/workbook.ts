import { type ZipPart, zipFile } from './zip-file.js';

/** A cell: a text, a number, or a number with a format of Excel (`yyyy-mm-dd`, `00000000000`). */
type Cell = string | number | { value: number; format: string } | null;

const xml = (body: string): string => `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n${body}`;
const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
const MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"';
const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

/** An Excel workbook (.xlsx) with a hidden sheet before the one with the rows. null: an empty row. */
export function workbook(rows: readonly (readonly Cell[] | null)[], parts: ZipPart[] = []): Buffer {
  const texts: string[] = [];
  const formats: string[] = [];
  const place = <T>(list: T[], item: T): number => {
    if (!list.includes(item)) list.push(item);
    return list.indexOf(item);
  };
  const cellXml = (cell: Cell, reference: string): string => {
    if (cell === null) return '';
    if (typeof cell === 'string') return `<c r="${reference}" t="s"><v>${place(texts, cell)}</v></c>`;
    if (typeof cell === 'number') return `<c r="${reference}"><v>${cell}</v></c>`;
    return `<c r="${reference}" s="${place(formats, cell.format) + 1}"><v>${cell.value}</v></c>`;
  };
  const sheet = rows.map((cells, row) =>
    cells === null
      ? ''
      : `<row r="${row + 1}">${cells.map((cell, column) => cellXml(cell, `${String.fromCharCode(65 + column)}${row + 1}`)).join('')}</row>`,
  );
  return zipFile([
    {
      name: 'xl/workbook.xml',
      content: xml(
        `<workbook ${MAIN} xmlns:r="${RELATIONS}"><sheets><sheet name="Lists" sheetId="1" state="hidden" r:id="rId1"/><sheet name="Customers" sheetId="2" r:id="rId2"/></sheets></workbook>`,
      ),
    },
    {
      name: 'xl/_rels/workbook.xml.rels',
      content: xml(
        `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="${RELATIONS}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="${RELATIONS}/worksheet" Target="worksheets/sheet2.xml"/></Relationships>`,
      ),
    },
    { name: 'xl/worksheets/sheet1.xml', content: xml(`<worksheet ${MAIN}><sheetData/></worksheet>`) },
    {
      name: 'xl/worksheets/sheet2.xml',
      content: xml(`<worksheet ${MAIN}><sheetData>${sheet.join('')}</sheetData></worksheet>`),
    },
    {
      name: 'xl/styles.xml',
      content: xml(
        `<styleSheet ${MAIN}><numFmts>${formats.map((format, index) => `<numFmt numFmtId="${164 + index}" formatCode="${escaped(format)}"/>`).join('')}</numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/>${formats.map((_, index) => `<xf numFmtId="${164 + index}"/>`).join('')}</cellXfs></styleSheet>`,
      ),
    },
    {
      name: 'xl/sharedStrings.xml',
      content: xml(
        `<sst ${MAIN}>${texts.map((text) => `<si><r><t xml:space="preserve">${escaped(text)}</t></r><rPh sb="0" eb="1"><t>x</t></rPh></si>`).join('')}</sst>`,
      ),
    },
    ...parts,
  ]);
}
