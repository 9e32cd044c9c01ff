import type { WrappedPdfiumModule } from '@embedpdf/pdfium';
import { hasOverlaps, type PageGlyph, withoutDoubles } from './pdf-doubles.js';
import { type Break, type Glyph, isBullet, LINE_END_HYPHEN, type Piece, PieceWriter } from './pdf-piece.js';
import { hasRightToLeft, isRightToLeftCode, rightToLeftPieces } from './pdf-right-to-left.js';
import { inColumns, isVertical, mayBeVertical } from './pdf-vertical.js';

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
const SPACE = 32;
const OTHER_SPACES = [9, 0xa0, 0x3000];

export interface PageSize {
  width: number;
  height: number;
}

/**
 * The exported functions of the compiled program. The package's wrappers look up each function by name at every call, which took
 * a third of the time, and Emscripten's wrappers check each call, which took a tenth.
 */
interface Program {
  FPDFText_CountChars(text: number): number;
  FPDFText_GetUnicode(text: number, index: number): number;
  FPDFText_IsGenerated(text: number, index: number): number;
  FPDFText_GetTextObject(text: number, index: number): number;
  FPDFText_GetLooseCharBox(text: number, index: number, rectangle: number): number;
  FPDFText_GetCharOrigin(text: number, index: number, x: number, y: number): number;
  FPDFText_GetMatrix(text: number, index: number, matrix: number): number;
  FPDFText_GetFontSize(text: number, index: number): number;
  FPDFTextObj_GetFont(object: number): number;
  FPDFPage_CountObjects(page: number): number;
  FPDFPage_GetObject(page: number, index: number): number;
  FPDFPageObj_GetType(object: number): number;
  FPDFFormObj_CountObjects(form: number): number;
  FPDFFormObj_GetObject(form: number, index: number): number;
}

/** The program's memory as floats; replaced when it grows. */
interface Memory {
  HEAPF32: Float32Array;
}

/** The handles of a page, and its size. */
interface LoadedPage extends PageSize {
  page: number;
  text: number;
  /** From 1. */
  number: number;
}

/** Common properties of the characters of one text object. */
interface Run {
  object: number;
  size: number;
  bold: boolean;
  turn: number;
  /** Origin on the baseline, in PDF coordinates. */
  x: number;
  y: number;
}

/** Reads the characters of a page from PDFium. */
export class PdfGlyphs {
  private readonly program: Program;
  private readonly memory: Memory;
  /** The program's memory as doubles. */
  private doubles: Float64Array = new Float64Array(0);
  /** Glyphs of all pages that stand for no character. */
  unreadable = 0;
  /** Character codes of the page. */
  private codes = new Uint32Array(0);
  /** Addresses to which PDFium writes the four floats of a box and the six of a matrix. */
  private readonly box: number;
  private readonly matrix: number;
  private readonly name: number;
  private boldFonts = new Map<number, boolean>();
  /** Reused, like the glyph: in many files nearly every character is a separate object. */
  private readonly run: Run = { object: NO_OBJECT, size: 0, bold: false, turn: 0, x: 0, y: 0 };
  /** Reused: a page has thousands of glyphs. */
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

  pieces(page: LoadedPage): Piece[] {
    const { text, number } = page;
    // Other pages may have used the same addresses for other objects.
    this.boldFonts = new Map();
    this.run.object = NO_OBJECT;
    const count = this.program.FPDFText_CountChars(text);
    this.codes = new Uint32Array(count);
    for (let index = 0; index < count; index++) {
      const code = this.program.FPDFText_GetUnicode(text, index);
      this.codes[index] = code;
      if (isUnreadable(code)) this.unreadable++;
    }
    const hasSpaces = this.hasSpaces(text, count);
    if (!this.codes.some(isRightToLeftCode)) {
      const writer = new PieceWriter(number, hasSpaces);
      for (let index = 0; index < count; index++) this.write(text, index, page, writer);
      const pieces = writer.end();
      if (!writer.overlaps && !hasOverlaps(pieces) && !mayBeVertical(pieces)) return pieces;
    }
    return this.arranged(page, hasSpaces);
  }

  /** The pieces of a page whose glyphs are not simply read one after the other. */
  private arranged(page: LoadedPage, hasSpaces: boolean): Piece[] {
    let glyphs = withoutDoubles(this.collected(page));
    if (hasRightToLeft(glyphs)) return rightToLeftPieces(glyphs, page.number, hasSpaces);
    if (isVertical(glyphs)) {
      const ranks = this.contentRanks(page.page);
      glyphs = inColumns(glyphs, page, (object) => ranks.get(object) ?? ranks.size);
    }
    const writer = new PieceWriter(page.number, hasSpaces);
    for (const glyph of glyphs) {
      if (glyph.mark) writer.break(glyph.mark);
      else writer.add(glyph);
    }
    return writer.end();
  }

  private collected(page: LoadedPage): PageGlyph[] {
    const glyphs: PageGlyph[] = [];
    for (let order = 0; order < this.codes.length; order++) {
      const mark = this.breakAt(page.text, order);
      glyphs.push(mark && mark !== 'space' ? { ...NOTHING, order, mark } : this.placedGlyph(page, order, mark));
    }
    return glyphs;
  }

  private placedGlyph(page: LoadedPage, order: number, mark: Break | undefined): PageGlyph {
    this.placed(page, order);
    const { glyph, run } = this;
    const heap = this.memory.HEAPF32;
    const at = this.box >> 2;
    return {
      code: glyph.code,
      left: glyph.left,
      right: glyph.right,
      baseline: glyph.baseline,
      size: glyph.size,
      bold: glyph.bold,
      turn: glyph.turn,
      object: run.object,
      boxLeft: heap[at] ?? 0,
      boxTop: heap[at + 1] ?? 0,
      boxRight: heap[at + 2] ?? 0,
      boxBottom: heap[at + 3] ?? 0,
      origin: this.originOf(page.text, order),
      order,
      mark,
    };
  }

  /** In PDF coordinates, along the page's width. */
  private originOf(text: number, index: number): number {
    this.program.FPDFText_GetCharOrigin(text, index, this.matrix, this.matrix + Float64Array.BYTES_PER_ELEMENT);
    const { buffer } = this.memory.HEAPF32;
    if (this.doubles.buffer !== buffer) this.doubles = new Float64Array(buffer);
    return this.doubles[this.matrix >> 3] ?? 0;
  }

  /** The place of each object in the content of the page, also inside of forms. */
  private contentRanks(page: number): Map<number, number> {
    const { program } = this;
    const ranks = new Map<number, number>();
    const add = (object: number): void => {
      ranks.set(object, ranks.size);
      if (program.FPDFPageObj_GetType(object) !== FORM_OBJECT) return;
      for (let at = 0; at < program.FPDFFormObj_CountObjects(object); at++)
        add(program.FPDFFormObj_GetObject(object, at));
    };
    for (let at = 0; at < program.FPDFPage_CountObjects(page); at++) add(program.FPDFPage_GetObject(page, at));
    return ranks;
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
    // Glyphs without a Unicode meaning.
    return (code < SPACE && code !== LINE_END_HYPHEN) || code > 0x10ffff ? 'gap' : undefined;
  }

  private write(text: number, index: number, page: LoadedPage, writer: PieceWriter): void {
    const mark = this.breakAt(text, index);
    if (mark) return writer.break(mark);
    this.placed(page, index);
    writer.add(this.glyph);
  }

  /** Reads a character into the reused glyph, run and box. */
  private placed(page: LoadedPage, index: number): void {
    const { glyph, program } = this;
    const { bold, turn } = this.runOf(page.text, index);
    // The loose box has the advance width: gaps between boxes were made by the author.
    program.FPDFText_GetLooseCharBox(page.text, index, this.box);
    glyph.code = this.codes[index]!;
    glyph.bold = bold;
    glyph.turn = turn;
    this.place(page);
  }

  /** Converts PDF coordinates (y up) to those of the page rotated so that the line is upright (y down). */
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
      // Nearly all glyphs: avoids creating arrays.
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

  /** By the font's name: PDFium's weight is another property (400 for a bold DejaVu). */
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

/** No character at all, U+FFFD, or a private one that is not a bullet. */
const isUnreadable = (code: number): boolean =>
  code === 0 || code === 0xfffd || (code >= 0xe000 && code <= 0xf8ff && !isBullet(code)) || code > 0x10ffff;

const NOTHING: Omit<PageGlyph, 'mark'> = {
  ...{ code: 0, left: 0, right: 0, baseline: 0, size: 0, bold: false, turn: 0, object: 0, origin: 0, order: 0 },
  ...{ boxLeft: 0, boxRight: 0, boxTop: 0, boxBottom: 0 },
};

/** FPDF_PAGEOBJ_FORM. */
const FORM_OBJECT = 5;
const NO_OBJECT = -1;
const FONT_NAME_BYTES = 256;
const BOLD = /bold|black|heavy|demi/i;

/** Direction of a line: 0 to the right, 1 up, 2 to the left, 3 down. */
function quarters(a: number, b: number): number {
  if (Math.abs(b) > Math.abs(a)) return b > 0 ? 1 : 3;
  return a < 0 ? 2 : 0;
}
