import iconv from 'iconv-lite';
import { cleanLine } from './clean-text.js';
import type { CompoundFile, StreamEntry } from './compound-file.js';
import { DocumentProblem } from './document-problem.js';

/** [MS-DOC] 2.5.7, FibRgFcLcb97: where the paragraph properties and the pieces of text are in the table stream. */
const PAPX_AT = 0x0102;
const PIECES_AT = 0x01a2;
const PAGE_BYTES = 512;
const LONGEST_TITLE = 300;

export interface WordHeading {
  level: number;
  text: string;
}

/** A run of the text: where it is in the stream, and whether its characters have 16 bits. */
export interface TextPiece {
  start: number;
  end: number;
  isWide: boolean;
}

/**
 * The paragraphs of a DOC that have a heading's style, in the order of the file: a style's index 1-9 is always Heading 1-9,
 * whatever language Word spoke ([MS-DOC] 2.9.271). word-extractor gives the text without styles.
 */
export function wordHeadings(document: Buffer, table: Buffer): WordHeading[] {
  const pieces = textPieces(document, table);
  return paragraphPages(document, table)
    .flatMap((page) => headingRanges(document.subarray(page * PAGE_BYTES, (page + 1) * PAGE_BYTES)))
    .map(({ level, start, end }) => ({ level, text: textAt(document, pieces, start, end) }))
    .filter(({ text }) => text !== '');
}

/** Whether tables lead out of the file: reading past a buffer throws a RangeError. By its name, which is the same in every realm of Node.js. */
export const isDamage = (error: unknown): boolean =>
  error instanceof DocumentProblem || (error as Partial<Error> | undefined)?.name === 'RangeError';

/** [MS-DOC] 2.5.2, fWhichTblStm: which of two streams has the tables of the document. */
export const tableOf = (file: CompoundFile, document: Buffer): StreamEntry | undefined =>
  file.find((document.readUInt16LE(10) & 0x0200) === 0 ? '0Table' : '1Table');

/** Numbers of the pages of 512 bytes that hold paragraph properties. */
function paragraphPages(document: Buffer, table: Buffer): number[] {
  const plc = partOf(document, table, PAPX_AT);
  const count = Math.max(0, Math.floor((plc.length - 4) / 8));
  return Array.from({ length: count }, (_, index) => plc.readUInt32LE((count + 1 + index) * 4) & 0x3fffff);
}

function headingRanges(page: Buffer): { level: number; start: number; end: number }[] {
  if (page.length < PAGE_BYTES) return [];
  const runs = page.readUInt8(PAGE_BYTES - 1);
  return Array.from({ length: runs }, (_, run) => ({
    level: styleOf(page, runs, run),
    start: page.readUInt32LE(run * 4),
    end: page.readUInt32LE((run + 1) * 4),
  })).filter(({ level }) => level >= 1 && level <= 9);
}

/** [MS-DOC] 2.9.175, PapxInFkp: a length, a second one when the first is 0, and the style. */
function styleOf(page: Buffer, runs: number, run: number): number {
  const at = (page[(runs + 1) * 4 + run * 13] ?? 0) * 2;
  if (at === 0 || at + 4 > PAGE_BYTES) return 0;
  return page.readUInt16LE(page[at] === 0 ? at + 2 : at + 1);
}

/** [MS-DOC] 2.4.1: throws a RangeError when the tables lead out of their streams. */
export function textPieces(document: Buffer, table: Buffer): TextPiece[] {
  const clx = partOf(document, table, PIECES_AT);
  let at = 0;
  while (clx[at] === 1) at += 3 + clx.readUInt16LE(at + 1);
  const count = Math.floor((clx.readUInt32LE(at + 1) - 4) / 12);
  const plc = clx.subarray(at + 5, at + 5 + 4 + count * 12);
  return Array.from({ length: Math.floor((plc.length - 4) / 12) }, (_, index) => {
    const length = plc.readUInt32LE(4 * (index + 1)) - plc.readUInt32LE(4 * index);
    const fc = plc.readUInt32LE(4 * (count + 1) + 8 * index + 2);
    const isWide = (fc & 0x40000000) === 0;
    const start = isWide ? fc : (fc & 0x3fffffff) / 2;
    return { start, end: start + length * (isWide ? 2 : 1), isWide };
  });
}

function partOf(document: Buffer, table: Buffer, at: number): Buffer {
  const start = document.readUInt32LE(at);
  return table.subarray(start, start + document.readUInt32LE(at + 4));
}

/** As word-extractor spells it: without the codes of fields, which stand between 0x13 and 0x14. */
function textAt(document: Buffer, pieces: TextPiece[], start: number, end: number): string {
  const piece = pieces.find((piece) => start >= piece.start && start < piece.end);
  if (!piece) return '';
  const bytes = document.subarray(start, Math.min(end, piece.end, start + 2 * LONGEST_TITLE));
  const text = iconv.decode(bytes, piece.isWide ? 'utf-16le' : 'windows-1252');
  return cleanLine(text.replaceAll(FIELD_CODE, ''));
}

const FIELD_CODE = new RegExp(String.raw`\x13[^\x13-\x15]{0,300}\x14`, 'g');
