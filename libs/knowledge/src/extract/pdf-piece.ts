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

/** What a page gives in the order of its content. A `gap` is a space that PDFium guessed from the distance. */
export type PageMark = Glyph | 'space' | 'gap' | 'line';

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
export function piecesOf(marks: readonly PageMark[], page: number): Piece[] {
  const writer = new PieceWriter(page, marks.includes('space'));
  for (const mark of marks) writer.add(mark);
  writer.flush();
  return writer.pieces;
}

class PieceWriter {
  readonly pieces: Piece[] = [];
  private piece: Piece | undefined;
  private last: Glyph | undefined;
  private spacing: 'space' | 'gap' | undefined;
  private rightToLeft = false;

  constructor(
    private readonly page: number,
    private readonly hasSpaces: boolean,
  ) {}

  add(mark: PageMark): void {
    if (mark === 'line') this.flush();
    else if (mark === 'space') this.spacing = 'space';
    else if (mark === 'gap') this.spacing ??= 'gap';
    else this.append(mark);
  }

  flush(): void {
    const text = this.piece ? cleaned(this.piece.text) : '';
    if (this.piece && text !== '') this.pieces.push({ ...this.piece, text });
    this.piece = undefined;
    this.last = undefined;
    this.spacing = undefined;
    this.rightToLeft = false;
  }

  private append(glyph: Glyph): void {
    this.rightToLeft ||= isRightToLeft(glyph.code);
    if (this.last && !this.continues(this.last, glyph)) this.flush();
    const text = String.fromCodePoint(glyph.code);
    if (this.piece && this.last) this.extend(this.piece, glyph, this.parts(this.last, glyph) ? ` ${text}` : text);
    else this.piece = begun(glyph, text, this.page);
    this.last = glyph;
    this.spacing = undefined;
  }

  private extend(piece: Piece, glyph: Glyph, text: string): void {
    piece.text += text;
    piece.left = Math.min(piece.left, glyph.left);
    piece.right = Math.max(piece.right, glyph.right);
    piece.bold &&= glyph.bold;
    if (glyph.size > piece.size) [piece.size, piece.baseline] = [glyph.size, glyph.baseline];
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

function begun({ left, right, baseline, size, bold, turn }: Glyph, text: string, page: number): Piece {
  return { text, page, left, right, baseline, size, bold, turn };
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

const cleaned = (text: string): string =>
  text
    .replace(BULLETS, '•')
    .replace(NOISE, '')
    .replace(SHAPES, (shape) => shape.normalize('NFKC'))
    .trim();
