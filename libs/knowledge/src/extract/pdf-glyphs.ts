import type { WrappedPdfiumModule } from '@embedpdf/pdfium';
import { type Break, type Glyph, type Piece, PieceWriter } from './pdf-piece.js';

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
const SPACE = 32;
const OTHER_SPACES = [9, 0xa0, 0x3000];
/** PDFium's mark for the hyphen of a word that goes on in the next line. */
const LINE_END_HYPHEN = 2;

interface PageSize {
  width: number;
  height: number;
}

/**
 * The functions as the compiled program exports them: the package's wrappers look each one up by its name at every call, which
 * was a third of the time, and Emscripten's check each call, which was a tenth.
 */
interface Program {
  FPDFText_CountChars(text: number): number;
  FPDFText_GetUnicode(text: number, index: number): number;
  FPDFText_IsGenerated(text: number, index: number): number;
  FPDFText_GetTextObject(text: number, index: number): number;
  FPDFText_GetLooseCharBox(text: number, index: number, rectangle: number): number;
  FPDFText_GetMatrix(text: number, index: number, matrix: number): number;
  FPDFText_GetFontSize(text: number, index: number): number;
  FPDFTextObj_GetFont(object: number): number;
}

/** The program's memory as floats: another one when it grows. */
interface Memory {
  HEAPF32: Float32Array;
}

/** What the characters of one text object have in common. */
interface Run {
  object: number;
  size: number;
  bold: boolean;
  turn: number;
  /** Of its origin on the baseline, in PDF's coordinates. */
  x: number;
  y: number;
}

/** What PDFium says of the characters of a page. */
export class PdfGlyphs {
  private readonly program: Program;
  private readonly memory: Memory;
  /** Of the characters of the page. */
  private codes = new Uint32Array(0);
  /** Four floats of a box and six of a matrix, where PDFium writes them. */
  private readonly box: number;
  private readonly matrix: number;
  private readonly name: number;
  private boldFonts = new Map<number, boolean>();
  /** One for all, like the glyph: in many files nearly every character is an object of its own. */
  private readonly run: Run = { object: NO_OBJECT, size: 0, bold: false, turn: 0, x: 0, y: 0 };
  /** One for all: a page has thousands. */
  private readonly glyph: Glyph = { code: 0, left: 0, right: 0, baseline: 0, size: 0, bold: false, turn: 0 };

  constructor(private readonly pdfium: WrappedPdfiumModule) {
    const { malloc } = pdfium.pdfium.wasmExports;
    this.program = pdfium.pdfium.wasmExports as unknown as Program;
    this.memory = pdfium.pdfium as unknown as Memory;
    this.box = malloc(4 * Float32Array.BYTES_PER_ELEMENT);
    this.matrix = malloc(6 * Float32Array.BYTES_PER_ELEMENT);
    this.name = malloc(FONT_NAME_BYTES);
  }

  close(): void {
    for (const address of [this.box, this.matrix, this.name]) this.pdfium.pdfium.wasmExports.free(address);
  }

  /** The pieces of a page; `text`: its text page in PDFium. */
  pieces(text: number, number: number, page: PageSize): Piece[] {
    // Other pages may have had other objects at the same addresses.
    this.boldFonts = new Map();
    this.run.object = NO_OBJECT;
    const count = this.program.FPDFText_CountChars(text);
    this.codes = new Uint32Array(count);
    for (let index = 0; index < count; index++) this.codes[index] = this.program.FPDFText_GetUnicode(text, index);
    const writer = new PieceWriter(number, this.hasSpaces(text, count));
    for (let index = 0; index < count; index++) this.write(text, index, page, writer);
    return writer.end();
  }

  private hasSpaces(text: number, count: number): boolean {
    for (let index = 0; index < count; index++) if (this.breakAt(text, index) === 'space') return true;
    return false;
  }

  private breakAt(text: number, index: number): Break | undefined {
    const code = this.codes[index]!;
    if (code > SPACE && code < OTHER_SPACES[1]!) return undefined;
    if (code === LINE_FEED || code === CARRIAGE_RETURN) return 'line';
    if (code === SPACE) return this.program.FPDFText_IsGenerated(text, index) ? 'gap' : 'space';
    if (OTHER_SPACES.includes(code)) return 'space';
    // Glyphs without a meaning.
    return (code < SPACE && code !== LINE_END_HYPHEN) || code > 0x10ffff ? 'gap' : undefined;
  }

  private write(text: number, index: number, page: PageSize, writer: PieceWriter): void {
    const mark = this.breakAt(text, index);
    if (mark) return writer.break(mark);
    const { glyph, program } = this;
    const { bold, turn } = this.runOf(text, index);
    // The loose box is as wide as the pen advances: from box to box, gaps are those that the author made.
    program.FPDFText_GetLooseCharBox(text, index, this.box);
    glyph.code = this.codes[index]!;
    glyph.bold = bold;
    glyph.turn = turn;
    this.place(page);
    writer.add(glyph);
  }

  /** From PDF's coordinates (y up) to those of a reader who turns the page so that the line is upright (y down). */
  private place({ width, height }: PageSize): void {
    const { glyph, run } = this;
    const heap = this.memory.HEAPF32;
    const at = this.box >> 2;
    const left = heap[at] ?? 0;
    const top = heap[at + 1] ?? 0;
    const right = heap[at + 2] ?? 0;
    const bottom = heap[at + 3] ?? 0;
    const { turn, size, x, y } = run;
    glyph.size = size || top - bottom;
    if (turn === 0) {
      // Nearly all: without a list for each.
      glyph.left = left;
      glyph.right = right;
      glyph.baseline = height - y;
      return;
    }
    glyph.left = [left, bottom, width - right, height - top][turn] ?? left;
    glyph.right = [right, top, width - left, height - bottom][turn] ?? right;
    glyph.baseline = [height - y, x, y, width - x][turn] ?? height - y;
  }

  private runOf(text: number, index: number): Run {
    const { program, memory, matrix, run } = this;
    const object = program.FPDFText_GetTextObject(text, index);
    if (run.object === object) return run;
    program.FPDFText_GetMatrix(text, index, matrix);
    const heap = memory.HEAPF32;
    const at = matrix >> 2;
    const [a, b, c, d] = [heap[at] ?? 1, heap[at + 1] ?? 0, heap[at + 2] ?? 0, heap[at + 3] ?? 1];
    run.object = object;
    run.turn = quarters(a, b);
    run.x = heap[at + 4] ?? 0;
    run.y = heap[at + 5] ?? 0;
    run.size = program.FPDFText_GetFontSize(text, index) * (c === 0 ? Math.abs(d) : Math.hypot(c, d));
    run.bold = this.isBold(object);
    return run;
  }

  /** From the font's name: what PDFium takes for the weight is another property (400 for a bold DejaVu). */
  private isBold(object: number): boolean {
    const { pdfium, program, name } = this;
    const font = object && program.FPDFTextObj_GetFont(object);
    if (!font) return false;
    const known = this.boldFonts.get(font);
    if (known !== undefined) return known;
    const length = pdfium.FPDFFont_GetBaseFontName(font, name, FONT_NAME_BYTES);
    const bold = length <= FONT_NAME_BYTES && BOLD.test(String(pdfium.pdfium.UTF8ToString(name, length)));
    this.boldFonts.set(font, bold);
    return bold;
  }
}

const NO_OBJECT = -1;
const FONT_NAME_BYTES = 256;
const BOLD = /bold|black|heavy|demi/i;

/** 0 for a line that runs to the right, 1 for one that runs up, 2 to the left, 3 down. */
function quarters(a: number, b: number): number {
  if (Math.abs(b) > Math.abs(a)) return b > 0 ? 1 : 3;
  return a < 0 ? 2 : 0;
}

const HYPHEN = String.fromCharCode(LINE_END_HYPHEN);
const BULLET = /^[•◦▪‣●○■□∙·*–—-](?:\s+|$|(?<=[•◦▪‣●○■□])(?=\S))/u;
const NUMBER = /^(?:\(?\d{1,3}[.)]|\(?[a-z][.)])(?:\s|$)/i;
const SENTENCE_END = /[.!?:;…。！？：；।॥؟۔]["'”’»)\]]*$/u;
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303f\uff00-\uffef]/u;

/** What may also stand in a sentence where a line happens to begin. */
export const startsWithDash = (line: string): boolean => /^[*–—-]/u.test(line);

export const startsWithBullet = (line: string): boolean => BULLET.test(line);

export const startsWithNumber = (line: string): boolean => NUMBER.test(line);

/** Nothing but the bullet or the number of a list item. */
export const isMarker = (text: string): boolean => text.replace(BULLET, '').replace(NUMBER, '') === '';

export const endsSentence = (line: string): boolean => SENTENCE_END.test(line);

/** Parts a word, which goes on in the next line. */
export const endsInHyphen = (line: string): boolean => line.endsWith(HYPHEN);

/** A text and its next line; words that were parted at the line's end become one again. */
export function joinedText(text: string, next: string): string {
  if (text === '' || next === '') return text + next;
  if (endsInHyphen(text)) return text.slice(0, -1) + next;
  // Lines end after dashes and slashes that stand between words without a space.
  if (/[\p{L}\p{N}][-–—/]$/u.test(text)) return text + next;
  if (/^[,.;:!?)\]}،؛؟।。，、！？）」]/u.test(next)) return text + next;
  const unspaced = UNSPACED.test(text.at(-1) ?? '') && startsUnspaced(next);
  return unspaced ? text + next : `${text} ${next}`;
}

/** Begins with a script that puts no spaces between words. */
export const startsUnspaced = (line: string): boolean => UNSPACED.test(line[0] ?? '');

/** As it is read: list items with "- ", and hyphens that PDFium marks within a line. */
export const readable = (text: string): string => text.replaceAll(HYPHEN, '-').replace(BULLET, '- ');
