import type { WrappedPdfiumModule } from '@embedpdf/pdfium';
import type { Glyph, PageMark } from './pdf-piece.js';

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
const SPACE = 32;
const OTHER_SPACES = [9, 0xa0, 0x3000];
/** PDFium's mark for the hyphen of a word that goes on in the next line. */
export const LINE_END_HYPHEN = 2;

interface PageSize {
  width: number;
  height: number;
}

/** The package leaves the types of Emscripten to those who have them. The views change when the memory grows. */
interface Heaps {
  HEAPF32: Float32Array;
}

/** What PDFium says of the characters of a page. */
export class PdfGlyphs {
  /** Four floats of a box and six of a matrix, where PDFium writes them. */
  private readonly box: number;
  private readonly matrix: number;
  private readonly name: number;
  private readonly heaps: Heaps;
  private boldFonts = new Map<number, boolean>();

  constructor(private readonly pdfium: WrappedPdfiumModule) {
    const { malloc } = pdfium.pdfium.wasmExports;
    this.box = malloc(4 * Float32Array.BYTES_PER_ELEMENT);
    this.matrix = malloc(6 * Float32Array.BYTES_PER_ELEMENT);
    this.name = malloc(FONT_NAME_BYTES);
    this.heaps = pdfium.pdfium as unknown as Heaps;
  }

  /** `text`: a text page of PDFium. */
  marks(text: number, page: PageSize): PageMark[] {
    this.boldFonts = new Map();
    const count = this.pdfium.FPDFText_CountChars(text);
    const marks: PageMark[] = [];
    for (let index = 0; index < count; index++) marks.push(this.mark(text, index, page));
    return marks;
  }

  private mark(text: number, index: number, page: PageSize): PageMark {
    const code = this.pdfium.FPDFText_GetUnicode(text, index);
    if (code === LINE_FEED || code === CARRIAGE_RETURN) return 'line';
    if (code === SPACE) return this.pdfium.FPDFText_IsGenerated(text, index) ? 'gap' : 'space';
    if (OTHER_SPACES.includes(code)) return 'space';
    // Glyphs without a meaning.
    if ((code < SPACE && code !== LINE_END_HYPHEN) || code > 0x10ffff) return 'gap';
    return this.glyph(text, index, code, page);
  }

  private glyph(text: number, index: number, code: number, page: PageSize): Glyph {
    const { pdfium, box, matrix } = this;
    // The loose box is as wide as the pen advances: from box to box, gaps are those that the author made.
    pdfium.FPDFText_GetLooseCharBox(text, index, box);
    pdfium.FPDFText_GetMatrix(text, index, matrix);
    const [b, m] = [box >> 2, matrix >> 2];
    const at = (place: number): number => this.heaps.HEAPF32[place] ?? 0;
    const turn = quarters(at(m), at(m + 1));
    const size = pdfium.FPDFText_GetFontSize(text, index) * Math.hypot(at(m + 2), at(m + 3));
    const drawn = { left: at(b), top: at(b + 1), right: at(b + 2), bottom: at(b + 3), x: at(m + 4), y: at(m + 5) };
    const bold = this.isBold(text, index);
    return { code, ...upright(drawn, turn, page), size: size || drawn.top - drawn.bottom, bold, turn };
  }

  /** From the font's name: what PDFium takes for the weight is another property (400 for a bold DejaVu). */
  private isBold(text: number, index: number): boolean {
    const { pdfium, name } = this;
    const object = pdfium.FPDFText_GetTextObject(text, index);
    const font = object && pdfium.FPDFTextObj_GetFont(object);
    if (!font) return false;
    const known = this.boldFonts.get(font);
    if (known !== undefined) return known;
    const length = pdfium.FPDFFont_GetBaseFontName(font, name, FONT_NAME_BYTES);
    const bold = length <= FONT_NAME_BYTES && BOLD.test(String(pdfium.pdfium.UTF8ToString(name, length)));
    this.boldFonts.set(font, bold);
    return bold;
  }
}

const FONT_NAME_BYTES = 256;
const BOLD = /bold|black|heavy|demi/i;

/** 0 for a line that runs to the right, 1 for one that runs up, 2 to the left, 3 down. */
function quarters(a: number, b: number): number {
  if (Math.abs(b) > Math.abs(a)) return b > 0 ? 1 : 3;
  return a < 0 ? 2 : 0;
}

interface Drawn {
  left: number;
  right: number;
  bottom: number;
  top: number;
  /** Of its origin on the baseline. */
  x: number;
  y: number;
}

/** From PDF's coordinates (y up) to those of a reader who turns the page so that the line is upright (y down). */
function upright(drawn: Drawn, turn: number, { width, height }: PageSize): Pick<Glyph, 'left' | 'right' | 'baseline'> {
  const { left, right, bottom, top, x, y } = drawn;
  switch (turn) {
    case 1:
      return { left: bottom, right: top, baseline: x };
    case 2:
      return { left: width - right, right: width - left, baseline: y };
    case 3:
      return { left: height - top, right: height - bottom, baseline: width - x };
    default:
      return { left, right, baseline: height - y };
  }
}
