/*
 * The shape of a table from any source: which rows name the columns, and what merged cells contain. Headers are guessed from the first
 * records by their cells and by the cells below them.
 */

/** A cell of a table in a text, which may extend over several columns and rows. */
export interface TableCell {
  text: string;
  columns?: number;
  rows?: number;
}

const MAX_COLUMNS = 1_000;
/** A longer text is not repeated in each column and row of its cell. */
const MAX_REPEATED_LENGTH = 500;

/** The cells by row and column. A merged cell has its text in each of them; a cell as wide as the table only in the first column. */
export function gridOf(rows: readonly (readonly TableCell[])[]): string[][] {
  /** Cells that extend into the next rows, by column. */
  let open: (Required<TableCell> | undefined)[] = [];
  return rows.map((cells) => {
    const [line, next]: [string[], typeof open] = [[], []];
    const take = ({ text, rows: height }: Required<TableCell>): void => {
      if (height > 1) next[line.length] = { text: repeatable(text), rows: height - 1, columns: 1 };
      line.push(text);
    };
    const takeOpen = (): void => {
      while (open[line.length]) take(open[line.length]!);
    };
    const isTitle = cells.length === 1 && !open.some(Boolean);
    for (const { text, columns = 1, rows: height = 1 } of cells) {
      takeOpen();
      const width = Math.max(1, Math.min(columns, MAX_COLUMNS - line.length));
      const repeated = isTitle ? '' : repeatable(text);
      for (let n = 0; n < width; n += 1) take({ text: n === 0 ? text : repeated, rows: height, columns: 1 });
    }
    for (; line.length < open.length; takeOpen()) if (!open[line.length]) line.push('');
    open = next;
    return line;
  });
}

const repeatable = (text: string): string => (text.length > MAX_REPEATED_LENGTH ? '' : text);

/** One name per column from several header rows: `Price` above `Net` is `Price Net`. */
export function joinHeader(rows: readonly (readonly string[])[]): string[] {
  const width = Math.max(...rows.map((row) => row.length), 0);
  return Array.from({ length: width }, (_, column) => {
    const names = rows.map((row) => (row[column] ?? '').replace(/\s+/g, ' ').trim());
    return [...new Set(names.filter((name) => name !== ''))].join(' ');
  });
}

interface TableStart {
  /** Empty if no row names the columns; a column without a name has an empty one. */
  header: string[];
  /** Rows above the header: a title, empty rows. */
  above: string[][];
  rows: string[][];
}

/** A header has at least this share of the cells of a usual row; a title above it has fewer. */
const HEADER_SHARE = 0.6;

/** Detects the start of a table in its first records, which may begin with a title. */
export function tableStart(records: string[][]): TableStart {
  const usual = median(records.map(fill).filter((count) => count > 0));
  const least = Math.min(usual, Math.max(2, Math.ceil(usual * HEADER_SHARE)));
  const at = records.findIndex((record) => fill(record) >= Math.max(least, 1));
  const lines = at < 0 ? 0 : headerRows(records.slice(at));
  if (lines === 0) return withoutHeader(records);
  const [groups, rows] = [records[at - 1], records.slice(at + lines)];
  const first = records[at]!;
  if (lines > 1 || !groups || !isGroups(groups, first))
    return { header: joinHeader(records.slice(at, at + lines)), above: records.slice(0, at), rows };
  return { header: joinHeader([spread(groups, first), first]), above: records.slice(0, at - 1), rows };
}

function withoutHeader(records: string[][]): TableStart {
  const isTable = records.some((record) => fill(record) > 1);
  const at = records.findIndex((record) => fill(record) > (isTable ? 1 : 0));
  if (at < 0) return { header: [], above: records, rows: [] };
  return { header: [], above: records.slice(0, at), rows: records.slice(at) };
}

/** Number of records at the start that name the columns: 0, 1, or 2 with groups of columns above or units below. */
export function headerRows(records: readonly (readonly string[])[]): 0 | 1 | 2 {
  const [first = [], second, ...rows] = records;
  if (second && isRepeating(first) && isGroups(first, second) && isHeader(second, rows)) return 2;
  if (!isHeader(first, records.slice(1))) return 0;
  return second && isUnits(second, first, rows) ? 2 : 1;
}

/** A longer text at the top of a column is a value, not a name. */
const MAX_NAME_LENGTH = 80;
/** Column names may repeat in a wide table ("Name", "Name"). */
const REPEATED_NAMES = 0.3;

/**
 * Whether a record names the columns of the rows: short texts, not numbers, not the same twice. Numbers below a text confirm it;
 * without them, a text that reads like a sentence is a value.
 */
function isHeader(record: readonly string[], rows: readonly (readonly string[])[]): boolean {
  const names = record.map((cell) => cell.trim());
  const given = names.filter((name) => name !== '');
  if (rows.length === 0 || given.length === 0) return false;
  if (given.some((name) => name.length > MAX_NAME_LENGTH || isAddress(name))) return false;
  if (given.some(isNumber) && !isScale(names, rows)) return false;
  const isBacked = names.some((name, at) => name !== '' && !isNumber(name) && isNumeric(columnOf(rows, at)));
  const repeated = given.length - new Set(given.map((name) => name.toLowerCase())).size;
  if (repeated > (isBacked && given.length > 3 ? given.length * REPEATED_NAMES : 0)) return false;
  const isValue = (name: string, at: number): boolean =>
    isSentence(name, columnOf(rows, at)) || isLike(columnOf(rows, at), name);
  return isBacked || !names.some((name, at) => !isNumber(name) && isValue(name, at));
}

/** Whether a text above these cells is one of them: the same text, or a code of the same shape as most of them. */
function isLike(cells: readonly string[], text: string): boolean {
  if (text === '' || cells.length === 0) return false;
  const isCode = /\d/.test(text);
  const alike = cells.filter((cell) => cell === text || (isCode && shapeOf(cell) === shapeOf(text)));
  return isCode ? alike.length > cells.length / 2 : alike.length > 0;
}

/** `BO26232` and `AB1` have the shape `A9`. */
const shapeOf = (code: string): string =>
  code
    .replace(/\p{Lu}+/gu, 'A')
    .replace(/\p{Ll}+/gu, 'a')
    .replace(/\d+/g, '9');

/** Numbers, amounts, dates and times are values, not column names. */
const isNumber = (cell: string): boolean =>
  /^[-+~<>≈≥≤(]?\s*[$€£¥₹]?\s*\d[\d\s.,:/'%+–—-]*\)?\s*(?:[$€£¥₹%]|\p{L}{1,3})?$/u.test(cell.trim());

const isAddress = (cell: string): boolean => /@\w|^https?:\/\//.test(cell);

const columnOf = (rows: readonly (readonly string[])[], column: number): string[] =>
  rows.map((row) => (row[column] ?? '').trim()).filter((cell) => cell !== '');

/** Minimum share of numbers in a column of numbers; the others are remarks. */
const NUMERIC_SHARE = 0.6;

const isNumeric = (cells: readonly string[]): boolean =>
  cells.length > 0 && cells.filter(isNumber).length >= cells.length * NUMERIC_SHARE;

/** "Article no." and "In stock?" are names; a longer text with a full stop is not, nor any above texts that end in the same way. */
function isSentence(name: string, below: readonly string[]): boolean {
  const mark = /[.!?…。！？]$/.exec(name)?.[0];
  if (mark === undefined) return false;
  const words = name.split(/\s+/);
  if (!'.?'.includes(mark) || words.length > 3 || words.at(-1)!.length > 8) return true;
  return below.filter((cell) => cell.endsWith(mark)).length > below.length * 0.3;
}

const YEARS = { first: 1900, last: 2100 };

/**
 * Whether the numbers of a header are years, months, sizes or quantities: in order, beside a name or an empty corner, and above rows
 * whose numbers are not in the same order.
 */
function isScale(names: readonly string[], rows: readonly (readonly string[])[]): boolean {
  const columns = [...names.keys()].filter((at) => isNumber(names[at]!));
  const beside = names.length > columns.length && !columns.includes(0);
  if (columns.length < 2 || !beside) return false;
  const steps = (cells: readonly string[]): number[] => columns.map((at) => stepOf(cells[at] ?? ''));
  const isYears = (values: readonly number[]): boolean =>
    values.every((one) => one >= YEARS.first && one <= YEARS.last);
  const own = steps(names);
  const isOrdered = ascends(own) || (isYears(own) && ascends(own.toReversed()));
  if (!isOrdered) return false;
  const alike = rows.map(steps).filter((values) => (isYears(own) ? isYears(values) : ascends(values)));
  return alike.length < rows.length / 2;
}

/** The number of `2026`, `2026-03`, `10+`, `10-49`; NaN for others, as amounts with decimals. */
function stepOf(cell: string): number {
  const date = /^(\d{4})-(\d{2})$/.exec(cell.trim());
  if (date) return Number(date[1]) * 12 + Number(date[2]);
  return Number(/^[≥>]?\s*(\d{1,6})(?:\s*[-–]\s*\d{1,6}|\s*\+)?$/.exec(cell.trim())?.[1] ?? Number.NaN);
}

const ascends = (values: readonly number[]): boolean =>
  values.every((value, at) => !Number.isNaN(value) && (at === 0 || value > values[at - 1]!));

/** Groups of columns above their names: short texts without digits, and names below their empty or repeated cells. */
function isGroups(groups: readonly string[], names: readonly string[]): boolean {
  const given = groups.map((cell) => cell.trim());
  const filledAt = [...given.keys()].filter((at) => given[at] !== '');
  if (filledAt.length === 0 || filledAt.some((at) => given[at]!.length > 30 || /[\d:]/.test(given[at]!))) return false;
  // A single text in the first column is a title.
  if (filledAt.length === 1 && filledAt[0] === 0) return false;
  return names.some((name, at) => name.trim() !== '' && at > filledAt[0]! && isCovered(given, at));
}

const isCovered = (groups: readonly string[], at: number): boolean =>
  (groups[at] ?? '') === '' || groups[at] === groups[at - 1];

const isRepeating = (record: readonly string[]): boolean =>
  record.some((cell, at) => at > 0 && cell.trim() !== '' && cell === record[at - 1]);

/** A merged cell of a spreadsheet is exported with its text in the first column only. */
function spread(groups: readonly string[], names: readonly string[]): string[] {
  let last = '';
  return names.map((name, at) => {
    last = (groups[at] ?? '').trim() || last;
    return name.trim() === '' ? '' : last;
  });
}

/** Units below the names: `kg`, `(EUR)`; only above numbers or in brackets. */
function isUnits(record: readonly string[], names: readonly string[], rows: readonly (readonly string[])[]): boolean {
  if (rows.length === 0 || fill(record) === 0) return false;
  return record.every((cell, at) => {
    const unit = cell.trim();
    if (unit === '') return true;
    if ((names[at] ?? '').trim() === '' || isNumber(unit)) return false;
    return /^[([][^()[\]]{1,12}[)\]]$/.test(unit) || (/^\D{1,8}$/u.test(unit) && isNumeric(columnOf(rows, at)));
  });
}

const fill = (record: readonly string[]): number => record.filter((cell) => cell.trim() !== '').length;

const median = (values: number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
