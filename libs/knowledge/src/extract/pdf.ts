import { setImmediate as otherWork } from 'node:timers/promises';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { init, type WrappedPdfiumModule } from '@embedpdf/pdfium';
import type { BlockConsumer } from '../blocks.js';
import { DOCUMENT_CHARACTERS } from '../parsing/parser-protocol.js';
import { DocumentProblem } from './document-problem.js';
import type { DocumentFacts, ExtractHints } from './document-formats.js';
import { blocksOf } from './pdf-blocks.js';
import { type Break, type Glyph, LINE_END_HYPHEN, type Piece, PieceWriter } from './pdf-piece.js';

const MOST_PAGES = 2_000;

/**
 * Extracts the blocks of a PDF: paragraphs, headings by font size, tables with clear gaps; without repeated headers and footers.
 * Throws FILE_ENCRYPTED, FILE_CORRUPT, TOO_LARGE_EXPANDED (pages), TOO_MUCH_TEXT, NO_TEXT_SCANNED, EMPTY.
 */
export async function extractPdf(path: string, take: BlockConsumer, hints?: ExtractHints): Promise<DocumentFacts> {
  const file = await PdfFile.open(path);
  try {
    return await extracted(file, take, hints);
  } finally {
    file.close();
  }
}

async function extracted(file: PdfFile, take: BlockConsumer, hints?: ExtractHints): Promise<DocumentFacts> {
  if (file.pages > MOST_PAGES)
    throw new DocumentProblem('TOO_LARGE_EXPANDED', `The PDF has ${file.pages} pages; ${MOST_PAGES} are allowed.`);
  const pages = await readPages(file, hints?.onProgress);
  const pagesWithoutText = pages.filter((page) => page.drawn && !hasText(page)).length;
  if (!pages.some(hasText)) throw withoutText(pagesWithoutText, pages.length);
  for (const block of blocksOf(pages.map(({ pieces }) => pieces))) take(block);
  const { title } = file;
  return { pages: pages.length, ...(title && { title }), ...(pagesWithoutText > 0 && { pagesWithoutText }) };
}

async function readPages(file: PdfFile, onProgress?: ExtractHints['onProgress']): Promise<PdfPage[]> {
  const pages: PdfPage[] = [];
  let characters = 0;
  for (let number = 1; number <= file.pages; number++) {
    const page = file.page(number);
    characters += page?.pieces.reduce((sum, { text }) => sum + text.length, 0) ?? 0;
    if (characters > DOCUMENT_CHARACTERS) throw new DocumentProblem('TOO_MUCH_TEXT');
    // A damaged page counts as an image: it has content that cannot be read.
    pages.push(page ?? { pieces: [], drawn: true });
    onProgress?.(number / file.pages);
    await otherWork();
  }
  return pages;
}

const hasText = ({ pieces }: PdfPage): boolean => pieces.some(({ text }) => /[\p{L}\p{N}]/u.test(text));

/** A document of blank pages, on which nothing is drawn, is empty rather than scanned. */
function withoutText(scanned: number, pages: number): DocumentProblem {
  if (scanned === 0) return new DocumentProblem('EMPTY');
  return new DocumentProblem('NO_TEXT_SCANNED', `${scanned} of ${pages} pages have no text: they are images.`);
}

/** The content of a page; `drawn`: the page has any content, text or not. */
interface PdfPage {
  pieces: Piece[];
  drawn: boolean;
}

/** FPDF_ERR_PASSWORD and FPDF_ERR_SECURITY of FPDF_GetLastError. */
const ENCRYPTED = [4, 5];

/** Compiled once per process. */
let started: Promise<WrappedPdfiumModule> | undefined;

async function start(): Promise<WrappedPdfiumModule> {
  const wasm = createRequire(import.meta.url).resolve('@embedpdf/pdfium/pdfium.wasm');
  const overrides: object = { wasmBinary: await readFile(wasm) };
  const pdfium = await init(overrides);
  pdfium.PDFiumExt_Init();
  return pdfium;
}

/** A PDF loaded into the memory of PDFium; must be closed. */
class PdfFile {
  private readonly glyphs: PdfGlyphs;
  readonly pages: number;

  private constructor(
    private readonly pdfium: WrappedPdfiumModule,
    private readonly document: number,
    private readonly bytes: number,
  ) {
    this.glyphs = new PdfGlyphs(pdfium);
    this.pages = pdfium.FPDF_GetPageCount(document);
  }

  /** Throws FILE_ENCRYPTED if a password is required to read the file, and FILE_CORRUPT. */
  static async open(path: string): Promise<PdfFile> {
    const [pdfium, bytes] = await Promise.all([(started ??= start()), readFile(path)]);
    const { malloc, free } = pdfium.pdfium.wasmExports;
    const copy = malloc(bytes.length);
    (pdfium.pdfium as unknown as { HEAPU8: Uint8Array }).HEAPU8.set(bytes, copy);
    const document = pdfium.FPDF_LoadMemDocument(copy, bytes.length, '');
    if (document) return new PdfFile(pdfium, document, copy);
    free(copy);
    throw new DocumentProblem(ENCRYPTED.includes(pdfium.FPDF_GetLastError()) ? 'FILE_ENCRYPTED' : 'FILE_CORRUPT');
  }

  close(): void {
    this.glyphs.close();
    this.pdfium.FPDF_CloseDocument(this.document);
    this.pdfium.pdfium.wasmExports.free(this.bytes);
  }

  /** The title property; empty if there is none. */
  get title(): string {
    const BYTES = 1_024;
    const { wasmExports, UTF16ToString } = this.pdfium.pdfium;
    const buffer = wasmExports.malloc(BYTES);
    const length = this.pdfium.FPDF_GetMetaText(this.document, 'Title', buffer, BYTES);
    const title: string = length > 2 && length <= BYTES ? UTF16ToString(buffer) : '';
    wasmExports.free(buffer);
    return title.trim();
  }

  /** `number` from 1. Returns undefined if the page is damaged. */
  page(number: number): PdfPage | undefined {
    const page = this.pdfium.FPDF_LoadPage(this.document, number - 1);
    if (!page) return undefined;
    const text = this.pdfium.FPDFText_LoadPage(page);
    const height = this.pdfium.FPDF_GetPageHeightF(page);
    const width = this.pdfium.FPDF_GetPageWidthF(page);
    const pieces = text ? this.glyphs.pieces(text, number, { width, height }) : [];
    const drawn = this.pdfium.FPDFPage_CountObjects(page) > 0;
    if (text) this.pdfium.FPDFText_ClosePage(text);
    this.pdfium.FPDF_ClosePage(page);
    return { pieces, drawn };
  }
}

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
const SPACE = 32;
const OTHER_SPACES = [9, 0xa0, 0x3000];

interface PageSize {
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
  FPDFText_GetMatrix(text: number, index: number, matrix: number): number;
  FPDFText_GetFontSize(text: number, index: number): number;
  FPDFTextObj_GetFont(object: number): number;
}

/** The program's memory as floats; replaced when it grows. */
interface Memory {
  HEAPF32: Float32Array;
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
class PdfGlyphs {
  private readonly program: Program;
  private readonly memory: Memory;
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

  /** The pieces of a page; `text`: PDFium's handle of its text. */
  pieces(text: number, number: number, page: PageSize): Piece[] {
    // Other pages may have used the same addresses for other objects.
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
    // Glyphs without a Unicode meaning.
    return (code < SPACE && code !== LINE_END_HYPHEN) || code > 0x10ffff ? 'gap' : undefined;
  }

  private write(text: number, index: number, page: PageSize, writer: PieceWriter): void {
    const mark = this.breakAt(text, index);
    if (mark) return writer.break(mark);
    const { glyph, program } = this;
    const { bold, turn } = this.runOf(text, index);
    // The loose box has the advance width: gaps between boxes were made by the author.
    program.FPDFText_GetLooseCharBox(text, index, this.box);
    glyph.code = this.codes[index]!;
    glyph.bold = bold;
    glyph.turn = turn;
    this.place(page);
    writer.add(glyph);
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

const NO_OBJECT = -1;
const FONT_NAME_BYTES = 256;
const BOLD = /bold|black|heavy|demi/i;

/** Direction of a line: 0 to the right, 1 up, 2 to the left, 3 down. */
function quarters(a: number, b: number): number {
  if (Math.abs(b) > Math.abs(a)) return b > 0 ? 1 : 3;
  return a < 0 ? 2 : 0;
}
