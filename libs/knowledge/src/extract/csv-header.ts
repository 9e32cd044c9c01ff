/** Longer words over a column are no name but a value. */
const LONGEST_NAME = 80;

export interface TableStart {
  header: string[];
  /** Records above the header: a title, empty lines. */
  above: string[][];
  rows: string[][];
}

/** Where the table begins in the first records of a file: a title above it has one cell, a header has a name in most. */
export function tableStart(records: string[][]): TableStart {
  const width = Math.max(...records.map((record) => record.length), 1);
  const first = records.findIndex((record) => filled(record) > (width > 1 ? 1 : 0));
  if (first < 0) return { header: columns(width), above: records, rows: [] };
  const [candidate = [], ...rows] = records.slice(first);
  const above = records.slice(0, first);
  if (isHeader(candidate, rows)) return { header: columns(width, candidate), above, rows };
  return { header: columns(width), above, rows: [candidate, ...rows] };
}

/** Names: short, no numbers, none twice. Words in every cell of every row say nothing: then the first row has the names. */
function isHeader(record: string[], rows: string[][]): boolean {
  const names = record.map((cell) => cell.trim()).filter((cell) => cell !== '');
  if (rows.length === 0) return false;
  const isNamed = names.every((name) => name.length <= LONGEST_NAME && !isValue(name) && !/[.!?。！？]$/.test(name));
  return isNamed && new Set(names.map((name) => name.toLowerCase())).size === names.length;
}

/** Numbers, amounts, dates, addresses: what stands in rows. */
function isValue(cell: string): boolean {
  return (
    /^[-+~<>≈(]?\s*[$€£¥₹]?\s*\d[\d\s.,:/'%-]*\)?\s*(?:[$€£¥₹%]|\p{L}{1,3})?$/u.test(cell) ||
    /@\w|^https?:\/\//.test(cell)
  );
}

const filled = (record: string[]): number => record.filter((cell) => cell.trim() !== '').length;

/** A column without a name is called by its number. */
function columns(width: number, names: string[] = []): string[] {
  return Array.from({ length: width }, (_, index) => columnName(index, names[index]));
}

export function columnName(index: number, name = ''): string {
  const words = name.replace(/\s+/g, ' ').trim();
  return words === '' ? `Column ${index + 1}` : words;
}
