type Cell = string | number | boolean | null | undefined;

/**
 * A line of CSV (RFC 4180), escaped so that spreadsheets do not run a cell as a formula. Without a package: csv-stringify would escape
 * every phone number too, and would leave only the quoting to itself.
 */
export const csvLine = (cells: readonly Cell[], end = '\r\n'): string =>
  `${cells.map((cell) => quote(harmless(String(cell ?? '')))).join(',')}${end}`;

/** Other delimiters are quoted as well, because programs guess the delimiter of a file. */
const quote = (cell: string): string => (/[",;\t\r\n]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);

/** Numbers are not formulas, nor are phone numbers and prefixes of them (`+1303*`). */
const harmless = (cell: string): string =>
  /^[=+\-@\t\r]/.test(cell) && !/^[+-]?\d+(?:\.\d+|\*)?$/.test(cell) ? `'${cell}` : cell;

/** A formula whose result is a text: spreadsheets export `="+4930…"`, so that they do not read the number as one. */
const TEXT_FORMULA = /^="((?:[^"]|"")*)"$/;

/** The value of a cell of CSV, without the spaces around it. */
export function cellText(cell: string): string {
  const text = cell.trim();
  return TEXT_FORMULA.exec(text)?.[1]?.replaceAll('""', '"') ?? text;
}
