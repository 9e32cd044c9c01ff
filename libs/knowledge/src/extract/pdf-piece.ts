/** A character of a page as it is drawn, upright: x to the right and y down from the top, in points. */
export interface Glyph {
  code: number;
  left: number;
  right: number;
  baseline: number;
  /** Effective: the font's size times the scale of its matrix. */
  size: number;
  bold: boolean;
  /** How far it is turned, in quarters: glyphs of different turns are in different coordinates. */
  turn: number;
}

/** A line, or the part of a line up to a gap too wide for a space between words. */
export interface Piece {
  text: string;
  page: number;
  left: number;
  right: number;
  baseline: number;
  size: number;
  /** Every character is. */
  bold: boolean;
  turn: number;
}

/** What may stand between glyphs. A `gap` is a space that PDFium guessed from the distance. */
export type Break = 'space' | 'gap' | 'line';

/** In ems. Justified text spaces words up to 1.2; the columns of tables are further apart. */
const WIDEST_SPACE = 1.8;
/** Right-to-left text jumps over its numbers, which run left to right. */
const WIDEST_JUMP = 6;
/** In ems: superscripts rise by a third, table cells centred beside two lines by half. */
const SAME_LINE = 0.7;
/** In ems: where a file with spaces has a gap like that without one, something else begins, such as the next cell. */
const OWN_GAP = 0.4;
/** In ems: what parts words where the file has no spaces; where it has, only kerning is that narrow. */
const NARROWEST_GAP = { withoutSpaces: 0.1, withSpaces: 0.2, afterMark: 0.35 };

/** Joins what is on a page to pieces, in the order of the content. */
export class PieceWriter {
  private readonly pieces: Piece[] = [];
  private piece: Piece | undefined;
  /** UTF-16 units of the piece's text: a string that grows letter by letter takes 32 bytes for each. */
  private readonly units: number[] = [];
  private readonly last: Glyph = { code: 0, left: 0, right: 0, baseline: 0, size: 0, bold: false, turn: 0 };
  private spacing: 'space' | 'gap' | undefined;
  private rightToLeft = false;
  /** Where the letters of the ligature begin that is being written. */
  private ligature = 0;

  /** `hasSpaces`: the page has spaces of its own, rather than words at their places. */
  constructor(
    private readonly page: number,
    private readonly hasSpaces: boolean,
  ) {}

  break(mark: Break): void {
    if (mark === 'line') this.flush();
    else if (mark === 'space') this.spacing = 'space';
    else this.spacing ??= 'gap';
  }

  /** The glyph may be another one afterwards. */
  add(glyph: Glyph): void {
    this.rightToLeft ||= isRightToLeft(glyph.code);
    if (this.piece && !this.continues(this.last, glyph)) this.flush();
    if (!this.piece) this.piece = begun(glyph, this.page);
    else if (this.parts(this.last, glyph)) this.units.push(SPACE);
    this.write(this.piece, glyph);
    copy(glyph, this.last);
    this.spacing = undefined;
  }

  end(): Piece[] {
    this.flush();
    return this.pieces;
  }

  private flush(): void {
    if (this.piece) {
      this.piece.text = cleaned(textOf(this.units));
      if (this.piece.text !== '') this.pieces.push(this.piece);
    }
    this.units.length = 0;
    this.piece = undefined;
    this.spacing = undefined;
    this.rightToLeft = false;
  }

  private write(piece: Piece, glyph: Glyph): void {
    const { code } = glyph;
    if (this.isBaseOfMark(glyph)) this.ligature = this.units.length - 1;
    else if (!this.isTurned(glyph)) this.ligature = this.units.length;
    if (code > 0xffff) this.units.push(0xd7c0 + (code >> 10), 0xdc00 + (code & 0x3ff));
    else if (this.ligature === this.units.length) this.units.push(code);
    else this.units.splice(this.ligature, 0, code);
    piece.left = Math.min(piece.left, glyph.left);
    piece.right = Math.max(piece.right, glyph.right);
    piece.bold &&= glyph.bold;
    if (glyph.size > piece.size) [piece.size, piece.baseline] = [glyph.size, glyph.baseline];
  }

  /** PDFium turns the letters of a ligature that is read from right to left: the second is to the right of the first. */
  private isTurned(glyph: Glyph): boolean {
    if (!this.rightToLeft || !isRightToLeft(glyph.code) || !isRightToLeft(this.last.code)) return false;
    return this.units.length > 0 && Math.abs(glyph.left - this.last.right) < 0.01 * glyph.size;
  }

  /** A mark is written after its letter; it has a width only where it shares a glyph, which PDFium gives in halves. */
  private isBaseOfMark({ code, left, right, size }: Glyph): boolean {
    const { last } = this;
    if (!this.rightToLeft || this.units.length === 0 || !isMark(last.code) || !isRightToLeft(code)) return false;
    const halves = Math.abs(right - left - (last.right - last.left)) < 0.01 * size;
    return halves && right > left && Math.abs(right - last.left) < 0.01 * size;
  }

  private continues(last: Glyph, next: Glyph): boolean {
    const em = Math.max(last.size, next.size);
    const widest = this.rightToLeft ? WIDEST_JUMP : this.spacing === 'gap' && this.hasSpaces ? OWN_GAP : WIDEST_SPACE;
    return (
      next.turn === last.turn &&
      distance(last, next) <= em * widest &&
      Math.abs(next.baseline - last.baseline) <= em * SAME_LINE
    );
  }

  /** Letters that share a glyph share its width, so that gaps appear inside of Hindi words. */
  private parts(last: Glyph, next: Glyph): boolean {
    if (this.spacing !== 'gap') return this.spacing === 'space';
    const { withoutSpaces, withSpaces, afterMark } = NARROWEST_GAP;
    const widest = !this.hasSpaces ? withoutSpaces : isMark(last.code) ? afterMark : withSpaces;
    return distance(last, next) > widest * next.size;
  }
}

const SPACE = 32;

/** A function takes some ten thousand arguments at most; a line has a hundred. */
function textOf(units: readonly number[]): string {
  const AT_ONCE = 8_192;
  if (units.length <= AT_ONCE) return String.fromCharCode(...units);
  return textOf(units.slice(0, AT_ONCE)) + textOf(units.slice(AT_ONCE));
}

function begun({ left, right, baseline, size, bold, turn }: Glyph, page: number): Piece {
  return { text: '', page, left, right, baseline, size, bold, turn };
}

/** Field by field: Object.assign was a tenth of the work on a page. */
function copy(from: Glyph, to: Glyph): void {
  to.code = from.code;
  to.left = from.left;
  to.right = from.right;
  to.baseline = from.baseline;
  to.size = from.size;
  to.bold = from.bold;
  to.turn = from.turn;
}

/** Between their boxes, whichever comes first: zero or less where they overlap. */
const distance = (a: Glyph, b: Glyph): number => Math.max(b.left - a.right, a.left - b.right);

const isRightToLeft = (code: number): boolean =>
  (code >= 0x590 && code <= 0x8ff) || (code >= 0xfb1d && code <= 0xfdff) || (code >= 0xfe70 && code <= 0xfefc);

const isMark = (code: number): boolean => code >= 0x300 && /\p{M}/u.test(String.fromCodePoint(code));

/** Latin ligatures and the shapes of Hebrew and Arabic letters stand for letters that a search asks for. */
const SHAPES = /[\ufb00-\ufdff\ufe70-\ufefc]/g;
/** Bullets of the fonts Symbol and Wingdings, which have no code of their own. */
const BULLETS = /[\uf0b7\uf0a7\uf076\uf0d8\uf0fc\uf0a8]/g;
/** Soft hyphens, what has no code and what is not drawn. */
const NOISE = /[\p{Co}\p{Cn}\u007f-\u009f\u00ad\u200b\ufeff\ufffd]/gu;

/** Most of what is read is this and nothing else. */
const PLAIN = /^[ -~]*$/;

function cleaned(text: string): string {
  if (PLAIN.test(text)) return text.trim();
  return text
    .replace(BULLETS, '•')
    .replace(NOISE, '')
    .replace(SHAPES, (shape) => shape.normalize('NFKC'))
    .trim();
}
