/** A line of CSV (RFC 4180) whose cells no spreadsheet takes for a formula. */
export const csvLine = (cells: readonly string[]): string =>
  `${cells.map((cell) => quote(harmless(cell))).join(',')}\r\n`;

const quote = (cell: string): string => (/[",\r\n]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);

/** Numbers, phone numbers among them, are not formulas. */
const harmless = (cell: string): string =>
  /^[=+\-@\t\r]/.test(cell) && !/^[+-]?\d+(?:\.\d+)?$/.test(cell) ? `'${cell}` : cell;

/** A formula whose result is a text: spreadsheets export `="+4930…"`, so that they do not read the number as one. */
const TEXT_FORMULA = /^="((?:[^"]|"")*)"$/;

/** The value of a cell of CSV, without the spaces around it. */
export function cellText(cell: string): string {
  const text = cell.trim();
  return TEXT_FORMULA.exec(text)?.[1]?.replaceAll('""', '"') ?? text;
}
