import { Parser } from 'htmlparser2';
import { promisify } from 'node:util';
import type { Readable } from 'node:stream';
import { type Entry, open, type ZipFile } from 'yauzl';

/** The workbook cannot be read. `message`: a sentence with the remedy. */
export class BrokenWorkbook extends Error {}

const MAX_PARTS = 5_000;
/** Unpacked. */
const MAX_PART_BYTES = 1024 * 1024 * 1024;
/** The texts of a workbook are held in memory. */
const MAX_TEXTS = 2_000_000;
const MAX_TEXT_CHARACTERS = 60_000_000;
/** One more than an import reads, so that it can refuse the table. */
const MAX_COLUMNS = 201;

const TOO_LARGE = 'The workbook is too large to be read. Save it as CSV (UTF-8) and import that file.';
const NOT_EXCEL = 'The file is not an Excel workbook (.xlsx). Save it as .xlsx or as CSV (UTF-8).';

/**
 * The first visible sheet of a workbook (ECMA-376 part 1, §18) as pieces of CSV: a line for each row, the empty ones included, so that lines have
 * the numbers of the sheet. Texts have no line breaks; numbers have all their digits; dates are ISO 8601.
 */
export async function* readWorkbook(path: string): AsyncGenerator<string> {
  const parts = await Parts.open(path);
  const { sheetPart, is1904 } = await readBook(parts);
  const formats = parts.has('xl/styles.xml') ? await readFormats(parts) : [];
  const texts = parts.has('xl/sharedStrings.xml') ? await readTexts(parts) : [];
  const sheet = new SheetReader(texts, (value, style) => numberText(value, formats[style] ?? '', is1904));
  for await (const lines of parts.parsed(sheetPart, sheet)) yield lines;
}

/** Receives the elements of a part, without the prefixes of their names. */
interface PartReader {
  onOpen?(name: string, attributes: Readonly<Record<string, string>>): void;
  onText?(text: string): void;
  onClose?(name: string): void;
  /** Takes what was read so far. */
  take?(): string;
}

const withoutPrefix = (name: string): string => name.slice(name.indexOf(':') + 1);

/** The parts of the file, each read as a stream. */
class Parts {
  private constructor(
    private readonly zip: ZipFile,
    private readonly entries: ReadonlyMap<string, Entry>,
  ) {}

  static async open(path: string): Promise<Parts> {
    const zip = await promisify<string, object, ZipFile>(open)(path, { lazyEntries: true, autoClose: false });
    if (zip.entryCount > MAX_PARTS) throw new BrokenWorkbook(NOT_EXCEL);
    const entries = new Map<string, Entry>();
    await new Promise<void>((resolve, reject) => {
      zip.on('entry', (entry: Entry) => {
        entries.set(entry.fileName.replace(/^\/+/, ''), entry);
        zip.readEntry();
      });
      zip.once('end', resolve).once('error', reject);
      zip.readEntry();
    });
    return new Parts(zip, entries);
  }

  has(name: string): boolean {
    return this.entries.has(name);
  }

  async read(name: string, reader: PartReader): Promise<void> {
    for await (const _piece of this.parsed(name, reader)) continue;
  }

  async *parsed(name: string, reader: PartReader): AsyncGenerator<string> {
    const entry = this.entries.get(name);
    if (!entry) throw new BrokenWorkbook(NOT_EXCEL);
    if (entry.uncompressedSize > MAX_PART_BYTES) throw new BrokenWorkbook(TOO_LARGE);
    const parser = new Parser(
      {
        onopentag: (tag, attributes) => reader.onOpen?.(withoutPrefix(tag), attributes),
        ontext: (text) => reader.onText?.(text),
        onclosetag: (tag) => reader.onClose?.(withoutPrefix(tag)),
      },
      { xmlMode: true },
    );
    const openStream = promisify<Entry, Readable>((one, done) => this.zip.openReadStream(one, done));
    const stream = await openStream(entry);
    for await (const piece of stream.setEncoding('utf8') as AsyncIterable<string>) {
      parser.write(piece);
      yield reader.take?.() ?? '';
    }
    parser.end();
    yield reader.take?.() ?? '';
  }
}

async function readBook(parts: Parts): Promise<{ sheetPart: string; is1904: boolean }> {
  const sheets: Readonly<Record<string, string>>[] = [];
  let is1904 = false;
  await parts.read('xl/workbook.xml', {
    onOpen: (name, attributes) => {
      if (name === 'sheet') sheets.push(attributes);
      if (name === 'workbookPr') is1904 = /^(?:1|true)$/.test(attributes['date1904'] ?? '');
    },
  });
  const sheet = sheets.find(({ state = 'visible' }) => state === 'visible') ?? sheets[0];
  const targets = new Map<string | undefined, string | undefined>();
  await parts.read('xl/_rels/workbook.xml.rels', {
    onOpen: (name, attributes) => {
      if (name === 'Relationship') targets.set(attributes['Id'], attributes['Target']);
    },
  });
  const [, id] = Object.entries(sheet ?? {}).find(([name]) => withoutPrefix(name) === 'id' && name !== 'id') ?? [];
  const target = targets.get(id);
  if (target === undefined) throw new BrokenWorkbook('The workbook has no sheet.');
  return { sheetPart: target.startsWith('/') ? target.slice(1) : `xl/${target}`, is1904 };
}

/** Number formats that the file does not define itself (§18.8.30): dates and times. */
const isBuiltInDate = (id: number): boolean => (id >= 14 && id <= 22) || (id >= 45 && id <= 47);

/** The number format of each cell style; dates that are built in have the format `yyyy`. */
async function readFormats(parts: Parts): Promise<string[]> {
  const custom = new Map<string | undefined, string>();
  const formats: string[] = [];
  let isInCells = false;
  await parts.read('xl/styles.xml', {
    onOpen: (name, attributes) => {
      const id = attributes['numFmtId'];
      if (name === 'numFmt') custom.set(id, attributes['formatCode'] ?? '');
      else if (name === 'cellXfs') isInCells = true;
      else if (name === 'xf' && isInCells) formats.push(custom.get(id) ?? (isBuiltInDate(Number(id)) ? 'yyyy' : ''));
    },
    onClose: (name) => {
      if (name === 'cellXfs') isInCells = false;
    },
  });
  return formats;
}

async function readTexts(parts: Parts): Promise<string[]> {
  const texts: string[] = [];
  let [text, isText, isPhonetic, characters] = ['', false, false, 0];
  await parts.read('xl/sharedStrings.xml', {
    onOpen: (name) => {
      if (name === 'si') text = '';
      if (name === 'rPh') isPhonetic = true;
      if (name === 't') isText = !isPhonetic;
    },
    onText: (piece) => {
      if (!isText) return;
      text += piece;
      characters += piece.length;
      if (characters > MAX_TEXT_CHARACTERS) throw new BrokenWorkbook(TOO_LARGE);
    },
    onClose: (name) => {
      if (name === 'si' && texts.push(text) > MAX_TEXTS) throw new BrokenWorkbook(TOO_LARGE);
      if (name === 'rPh') isPhonetic = false;
      if (name === 't') isText = false;
    },
  });
  return texts;
}

/** Turns the rows of a sheet into lines. */
class SheetReader implements PartReader {
  private lines = '';
  private row = 0;
  private cells: string[] = [];
  private column = 0;
  private type = '';
  private style = 0;
  private value = '';
  private isValue = false;

  constructor(
    private readonly texts: readonly string[],
    private readonly numberText: (value: string, style: number) => string,
  ) {}

  onOpen(name: string, attributes: Readonly<Record<string, string>>): void {
    if (name === 'row') this.beginRow(Number(attributes['r'] ?? this.row + 1));
    else if (name === 'c') {
      this.column = columnOf(attributes['r']) ?? this.column + 1;
      this.type = attributes['t'] ?? 'n';
      this.style = Number(attributes['s'] ?? 0);
      this.value = '';
    } else if (name === 'v' || name === 't') this.isValue = true;
  }

  onText(text: string): void {
    if (this.isValue) this.value += text;
  }

  onClose(name: string): void {
    if (name === 'v' || name === 't') this.isValue = false;
    else if (name === 'c' && this.column <= MAX_COLUMNS) this.setCell(this.text());
    else if (name === 'row') this.lines += `${this.cells.map(quoted).join(',').replace(/,+$/, '')}\n`;
  }

  take(): string {
    const { lines } = this;
    this.lines = '';
    return lines;
  }

  private beginRow(row: number): void {
    if (row > this.row + 1 && row <= MAX_ROW) this.lines += '\n'.repeat(row - this.row - 1);
    this.row = Math.max(row, this.row + 1);
    this.cells = [];
    this.column = 0;
  }

  private setCell(text: string): void {
    while (this.cells.length < this.column - 1) this.cells.push('');
    this.cells[this.column - 1] = text.replaceAll(/\s+/g, ' ').trim();
  }

  private text(): string {
    switch (this.type) {
      case 's':
        return this.texts[Number(this.value)] ?? '';
      case 'b':
        return this.value === '1' ? 'true' : 'false';
      case 'e':
        return '';
      case 'n':
        return this.value === '' ? '' : this.numberText(this.value, this.style);
      default:
        return this.value;
    }
  }
}

/** §18.3.1.73: the last row of a sheet. */
const MAX_ROW = 1_048_576;

const quoted = (cell: string): string => (cell === '' ? '' : `"${cell.replaceAll('"', '""')}"`);

/** `AB12` as 28. */
function columnOf(reference: string | undefined): number | undefined {
  const [letters] = /^[A-Z]{1,3}/.exec(reference ?? '') ?? [];
  if (letters === undefined) return undefined;
  let column = 0;
  for (const letter of letters) column = column * 26 + letter.charCodeAt(0) - 64;
  return column;
}

const DAY_MS = 86_400_000;
/** Days from the epoch of a workbook (§18.17.4.1) to that of Unix. */
const DAYS_1900 = 25_569;
const DAYS_1904 = 24_107;

/** A number with all its digits, with the leading zeros of its format, or a local date and time. */
function numberText(value: string, format: string, is1904: boolean): string {
  const number = Number(value);
  if (!Number.isFinite(number)) return value;
  const plain = format.replaceAll(/"[^"]*"|\\.|\[[^\]]*\]/g, '');
  if (/[ymdhs]/i.test(plain)) {
    const days = number - (is1904 ? DAYS_1904 : DAYS_1900);
    const iso = new Date(Math.round((days * DAY_MS) / 1_000) * 1_000);
    if (Number.isNaN(iso.getTime())) return value;
    return iso.toISOString().slice(0, 19).replace('T00:00:00', '');
  }
  if (!Number.isInteger(number)) return String(number);
  return BigInt(number)
    .toString()
    .padStart(/^0+$/.test(plain) ? plain.length : 0, '0');
}
