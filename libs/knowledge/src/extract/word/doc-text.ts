import iconv from 'iconv-lite';
import type { CompoundFile } from './compound-file.js';
import { DocumentProblem } from '../document-problem.js';
import { type DocList, DocLists } from './doc-lists.js';
import { partOf, propertiesIn, type Properties, Sprm } from './doc-properties.js';

/** [MS-DOC] 2.5.1, FibBase: signature of Word 97-2003, and the flags fEncrypted and fWhichTblStm. */
const SIGNATURE = 0xa5ec;
const [ENCRYPTED, TABLE_1] = [0x0100, 0x0200];
/** Positions of the parts of the table stream in the header ([MS-DOC] 2.5.7, FibRgFcLcb97). */
const [CHPX_AT, PAPX_AT, CLX_AT] = [0x00fa, 0x0102, 0x01a2];
/** Lengths of body, footnotes, headers, comments, endnotes and text boxes, which follow each other in the text ([MS-DOC] 2.5.5). */
const LENGTHS_AT = { body: 0x4c, footnotes: 0x50, headers: 0x54, comments: 0x5c, endnotes: 0x60, boxes: 0x64 };
const PAGE_BYTES = 512;

type Story = keyof typeof LENGTHS_AT;

export interface DocParagraph {
  text: string;
  /** Index of its style: 1-9 mean Heading 1-9, in any language of Word ([MS-DOC] 2.9.271). */
  style: number;
  list?: DocList;
  isInTable: boolean;
  /** The paragraph is the last of a table cell. */
  endsCell: boolean;
  /** The paragraph marks the end of a table row; it has no text. */
  endsRow: boolean;
}

/** A run of text in the document stream; `cp`: its first position in the text; `width`: bytes of a character. */
interface TextPiece {
  cp: number;
  length: number;
  start: number;
  width: 1 | 2;
}

/** Properties of a run of bytes in the document stream. */
interface PropertyRun {
  start: number;
  end: number;
  style: number;
  properties: Buffer;
}

/**
 * The text of a Word 97-2003 document by paragraphs. Throws FILE_CORRUPT or a RangeError if the tables point outside their streams;
 * unreadable tables of styles and lists leave out headings and numbers only.
 */
export class DocText {
  private readonly document: Buffer;
  private readonly pieces: TextPiece[];
  private readonly text: string;
  /** Marks deleted, struck and hidden text, and field codes. */
  private readonly hidden: Uint8Array;
  private readonly paragraphRuns: PropertyRun[];
  private readonly data: Buffer;
  private readonly lists: DocLists;

  constructor(file: CompoundFile) {
    this.document = streamOf(file, 'WordDocument');
    const flags = this.document.readUInt16LE(10);
    if (this.document.readUInt16LE(0) !== SIGNATURE || (flags & ENCRYPTED) !== 0)
      throw new DocumentProblem('FILE_CORRUPT');
    const table = streamOf(file, (flags & TABLE_1) === 0 ? '0Table' : '1Table');
    this.data = file.find('Data') ? streamOf(file, 'Data') : Buffer.alloc(0);
    this.pieces = textPieces(this.document, table);
    this.text = this.pieces.map((piece) => textOf(this.document, piece)).join('');
    this.hidden = new Uint8Array(this.text.length);
    this.paragraphRuns = propertyRuns(this.document, table, PAPX_AT, paragraphRun);
    this.lists = DocLists.read(this.document, table);
    this.hide(propertyRuns(this.document, table, CHPX_AT, leftOutRun));
    // Struck cells and hidden paragraphs still end where they end; deleted ones do not.
    for (let at = 0; at < this.text.length; at++) if (isParagraphEnd(this.text.charCodeAt(at))) this.hidden[at] = 0;
    this.hide(propertyRuns(this.document, table, CHPX_AT, deletedRun));
  }

  *paragraphs(story: Story): Generator<DocParagraph> {
    const [from, to] = this.rangeOf(story);
    this.hideFieldCodes(from, to);
    let start = from;
    for (let at = from; at < to; at++) {
      if (!isParagraphEnd(this.text.charCodeAt(at)) || this.hidden[at] === 1) continue;
      yield this.paragraph(start, at);
      start = at + 1;
    }
    if (start < to) yield this.paragraph(start, to - 1);
  }

  private paragraph(start: number, end: number): DocParagraph {
    const run = runAt(this.paragraphRuns, this.byteAt(end));
    const style = run?.style ?? 0;
    const properties = run ? this.propertiesOf(run) : new Map<number, number>();
    const isCellMark = this.text.charCodeAt(end) === CELL_MARK;
    const endsRow = isOn(properties, Sprm.EndsRow) || isOn(properties, Sprm.EndsInnerRow);
    return {
      text: this.visible(start, end + 1),
      style,
      list: endsRow ? undefined : this.lists.find(style, properties),
      isInTable: isCellMark || isOn(properties, Sprm.InTable),
      endsCell: isCellMark && !endsRow,
      endsRow: isCellMark && endsRow,
    };
  }

  /** Long lists of properties are in the data stream ([MS-DOC] 2.6.2, sprmPHugePapx). */
  private propertiesOf({ properties }: PropertyRun): Properties {
    const found = propertiesIn(properties);
    const at = found.get(Sprm.Huge) ?? found.get(Sprm.HugeOld);
    if (at === undefined || at + 2 > this.data.length) return found;
    const length = this.data.readUInt16LE(at);
    return new Map([...found, ...propertiesIn(this.data.subarray(at + 2, at + 2 + length))]);
  }

  private rangeOf(story: Story): [from: number, to: number] {
    let from = 0;
    for (const [name, at] of Object.entries(LENGTHS_AT)) {
      const length = this.document.readUInt32LE(at);
      if (name === story) return [Math.min(from, this.text.length), Math.min(from + length, this.text.length)];
      from += length;
    }
    return [0, 0];
  }

  /** The position of a character in the document stream. */
  private byteAt(cp: number): number {
    const piece = lastAtMost(this.pieces, cp, ({ cp: first }) => first);
    return piece ? piece.start + (cp - piece.cp) * piece.width : -1;
  }

  private visible(start: number, end: number): string {
    const text = this.text.slice(start, end);
    const isWhole = !this.hidden.subarray(start, end).includes(1);
    const shown = isWhole
      ? text
      : Array.from({ length: end - start }, (_, at) => this.characterAt(start + at)).join('');
    return shown.replace(SPECIAL, (sign) => REPLACEMENTS[sign] ?? '');
  }

  private characterAt(cp: number): string {
    return this.hidden[cp] === 1 ? '' : this.text.charAt(cp);
  }

  private hide(deleted: PropertyRun[]): void {
    for (const { cp, length, start, width } of deleted.length === 0 ? [] : this.pieces) {
      const end = start + length * width;
      for (let at = firstAfter(deleted, start); at < deleted.length; at++) {
        const run = deleted[at];
        if (!run || run.start >= end) break;
        const first = cp + Math.max(0, Math.floor((run.start - start) / width));
        this.hidden.fill(1, first, cp + Math.min(length, Math.ceil((run.end - start) / width)));
      }
    }
  }

  /** A field is `0x13 code 0x14 result 0x15`, or without a result; fields can be nested. An unclosed field is text. */
  private hideFieldCodes(from: number, to: number): void {
    const open: { at: number; hasResult: boolean }[] = [];
    for (let at = from; at < to; at++) {
      const code = this.text.charCodeAt(at);
      if (code === FIELD_BEGIN) open.push({ at, hasResult: false });
      const field = open.at(-1);
      if (!field || (code !== FIELD_RESULT && code !== FIELD_END)) continue;
      if (!field.hasResult) this.hidden.fill(1, field.at, at + 1);
      field.hasResult = true;
      if (code === FIELD_END) open.pop();
    }
  }
}

const CELL_MARK = 7;
const [FIELD_BEGIN, FIELD_RESULT, FIELD_END] = [0x13, 0x14, 0x15];
/** Cells, pages, sections and paragraphs. */
const isParagraphEnd = (code: number): boolean => code === CELL_MARK || code === 0x0c || code === 0x0d;

/** Line break, non-breaking and optional hyphen; the other signs stand for pictures, notes and fields. */
const REPLACEMENTS: Record<string, string> = { '\t': '\t', '\n': '\n', '\v': '\n', '\x1e': '-' };
const SPECIAL = /\p{Cc}/gu;

const isOn = (properties: Properties, sprm: number): boolean => ((properties.get(sprm) ?? 0) & 1) === 1;

function streamOf(file: CompoundFile, name: string): Buffer {
  const stream = file.find(name);
  if (!stream) throw new DocumentProblem('FILE_CORRUPT');
  return file.head(stream, stream.size);
}

/**
 * [MS-DOC] 2.4.1. Bounded by the length of the stream: a hostile file may list the same text in many pieces. Throws a RangeError if
 * the table points outside its stream.
 */
function textPieces(document: Buffer, table: Buffer): TextPiece[] {
  const clx = partOf(document, table, CLX_AT);
  let at = 0;
  while (clx[at] === 1) at += 3 + clx.readUInt16LE(at + 1);
  const count = Math.floor((clx.readUInt32LE(at + 1) - 4) / 12);
  const plc = clx.subarray(at + 5, at + 5 + 4 + count * 12);
  const pieces: TextPiece[] = [];
  for (let index = 0, cp = 0; index < Math.floor((plc.length - 4) / 12) && cp < document.length; index++) {
    const fc = plc.readUInt32LE(4 * (count + 1) + 8 * index + 2);
    const width = (fc & 0x40000000) === 0 ? 2 : 1;
    const start = width === 2 ? fc : (fc & 0x3fffffff) / 2;
    const wanted = plc.readUInt32LE(4 * (index + 1)) - plc.readUInt32LE(4 * index);
    const length = Math.max(0, Math.min(wanted, Math.floor((document.length - start) / width), document.length - cp));
    pieces.push({ cp, length, start, width });
    cp += length;
  }
  return pieces;
}

function textOf(document: Buffer, { start, length, width }: TextPiece): string {
  const bytes = document.subarray(start, start + length * width);
  return width === 2 ? bytes.toString('utf16le') : iconv.decode(bytes, 'windows-1252');
}

type ReadRun = (page: Buffer, runs: number, run: number) => { style: number; properties: Buffer } | undefined;

/** The runs of all pages with properties, by their position ([MS-DOC] 2.9.33 and 2.9.174). */
function propertyRuns(document: Buffer, table: Buffer, at: number, read: ReadRun): PropertyRun[] {
  const plc = partOf(document, table, at);
  const count = Math.max(0, Math.floor((plc.length - 4) / 8));
  const numbers = new Set(
    Array.from({ length: count }, (_, index) => plc.readUInt32LE((count + 1 + index) * 4) & 0x3fffff),
  );
  const runs: PropertyRun[] = [];
  for (const number of numbers) {
    const page = document.subarray(number * PAGE_BYTES, (number + 1) * PAGE_BYTES);
    const inPage = page.length < PAGE_BYTES ? 0 : Math.min(page.readUInt8(PAGE_BYTES - 1), (PAGE_BYTES - 5) >> 2);
    for (let run = 0; run < inPage; run++) {
      const found = read(page, inPage, run);
      if (found) runs.push({ start: page.readUInt32LE(run * 4), end: page.readUInt32LE((run + 1) * 4), ...found });
    }
  }
  return runs.sort((first, second) => first.start - second.start);
}

/** [MS-DOC] 2.9.175, PapxInFkp: a length, a second one when the first is 0, and the style. */
const paragraphRun: ReadRun = (page, runs, run) => {
  const at = (page[(runs + 1) * 4 + run * 13] ?? 0) * 2;
  const first = page[at] ?? 0;
  const from = at + (first === 0 ? 2 : 1);
  const length = first === 0 ? 2 * (page[at + 1] ?? 0) : 2 * first - 1;
  if (at === 0 || from + 2 > PAGE_BYTES) return { style: 0, properties: Buffer.alloc(0) };
  return { style: page.readUInt16LE(from), properties: page.subarray(from + 2, from + length) };
};

const characterRun =
  (...codes: number[]): ReadRun =>
  (page, runs, run) => {
    const at = (page[(runs + 1) * 4 + run] ?? 0) * 2;
    const properties = page.subarray(at + 1, at + 1 + (page[at] ?? 0));
    if (at === 0) return undefined;
    const found = propertiesIn(properties);
    return codes.some((code) => isOn(found, code)) ? { style: 0, properties } : undefined;
  };

/** [MS-DOC] 2.6.1: sprmCFRMarkDel of tracked deletions, and sprmCFStrike, sprmCFDStrike and sprmCFVanish; those of styles are not read. */
const deletedRun = characterRun(Sprm.Deleted);
const leftOutRun = characterRun(Sprm.Struck, Sprm.DoubleStruck, Sprm.Hidden);

function runAt(runs: PropertyRun[], byte: number): PropertyRun | undefined {
  const run = lastAtMost(runs, byte, ({ start }) => start);
  return run && byte < run.end ? run : undefined;
}

/** The last item of a sorted list whose position is not above the limit. */
function lastAtMost<T>(sorted: T[], limit: number, positionOf: (item: T) => number): T | undefined {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const item = sorted[middle];
    if (item !== undefined && positionOf(item) <= limit) low = middle + 1;
    else high = middle;
  }
  return sorted[low - 1];
}

/** The index of the first of the sorted runs that ends after the byte. */
function firstAfter(sorted: PropertyRun[], byte: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle]?.end ?? 0) <= byte) low = middle + 1;
    else high = middle;
  }
  return low;
}
