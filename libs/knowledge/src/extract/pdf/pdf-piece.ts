import { BASELINE_MARKS, spellMarks } from '../text/text-marks.js';

/** A drawn character of a page, rotated upright: x to the right and y down from the top, in points. */
export interface Glyph {
  code: number;
  left: number;
  right: number;
  baseline: number;
  /** Effective size: the font's size times the scale of its matrix. */
  size: number;
  bold: boolean;
  /** Rotation in quarter turns: glyphs with different rotations use different coordinates. */
  turn: number;
}

/** A line, or a part of a line bounded by gaps wider than the space between words. */
export interface Piece {
  text: string;
  page: number;
  left: number;
  right: number;
  baseline: number;
  size: number;
  /** Every character is bold. */
  bold: boolean;
  turn: number;
}

/** Separators between glyphs. A `gap` is a space that PDFium derived from the distance. */
export type Break = 'space' | 'gap' | 'line';

/** In ems. Spaces of justified text reach 1.2; columns of tables are further apart. */
const MAX_SPACE = 1.8;
/** In ems: superscripts are raised by a third, table cells centred beside two lines by half. */
const SAME_LINE = 0.7;
/** In ems: in a file with spaces, a wider gap without a space begins something else, such as the next cell. */
const OWN_GAP = 0.4;
/** Of the size of the text before it: superscripts and subscripts are smaller. */
const MAX_SHIFTED = 0.8;
/** In ems of the text before it. Small capitals stand on the same baseline. */
const MIN_RISE = 0.15;
const MIN_FALL = 0.08;
/** In ems: minimum gap between words. In a file with spaces, narrower gaps are kerning. */
const MIN_GAP = { withoutSpaces: 0.1, withSpaces: 0.2, afterMark: 0.35 };

/** Joins the glyphs of a page into pieces, in the order of the content stream. */
export class PieceWriter {
  private readonly pieces: Piece[] = [];
  private piece: Piece | undefined;
  /** UTF-16 units of the piece's text: a string built letter by letter would take 32 bytes per letter. */
  private readonly units: number[] = [];
  private readonly last: Glyph = { code: 0, left: 0, right: 0, baseline: 0, size: 0, bold: false, turn: 0 };
  private spacing: 'space' | 'gap' | undefined;
  /** Size and baseline of the text around a raised or lowered one. */
  private around: { size: number; baseline: number } | undefined;
  /** A glyph was drawn over the one before it. */
  overlaps = false;

  /** `hasSpaces`: the page contains space characters instead of positioned words only. */
  constructor(
    private readonly page: number,
    private readonly hasSpaces: boolean,
  ) {}

  break(mark: Break): void {
    if (mark === 'line') this.flush();
    else if (mark === 'space') this.spacing = 'space';
    else this.spacing ??= 'gap';
  }

  /** Copies the glyph: the caller may reuse the object. */
  add(glyph: Glyph): void {
    if (this.piece && !this.continues(this.last, glyph)) this.flush();
    if (!this.piece) this.piece = begun(glyph, this.page);
    else {
      this.overlaps ||= isOver(this.last, glyph);
      this.endShift(glyph);
      if (this.isSpaced(this.last, glyph)) this.units.push(SPACE);
      this.beginShift(glyph);
    }
    this.write(this.piece, glyph);
    copy(glyph, this.last);
    this.spacing = undefined;
  }

  private beginShift(glyph: Glyph): void {
    const { size, baseline } = this.last;
    if (this.around || glyph.size > MAX_SHIFTED * size) return;
    const rise = (baseline - glyph.baseline) / size;
    const mark = rise >= MIN_RISE ? RAISED : rise <= -MIN_FALL ? LOWERED : undefined;
    if (mark === undefined) return;
    this.units.push(mark);
    this.around = { size, baseline };
  }

  private endShift(glyph: Glyph): void {
    if (!this.around) return;
    const { size, baseline } = this.around;
    if (glyph.size <= MAX_SHIFTED * size && Math.abs(glyph.baseline - baseline) >= MIN_FALL * size) return;
    this.units.push(SHIFT_END);
    this.around = undefined;
  }

  end(): Piece[] {
    this.flush();
    return this.pieces;
  }

  private flush(): void {
    if (this.piece) {
      if (this.around) this.units.push(SHIFT_END);
      this.around = undefined;
      this.piece.text = clean(spellMarks(textOf(this.units)));
      if (this.piece.text !== '') this.pieces.push(this.piece);
    }
    this.units.length = 0;
    this.piece = undefined;
    this.spacing = undefined;
  }

  private write(piece: Piece, glyph: Glyph): void {
    const { code } = glyph;
    if (code > 0xffff) this.units.push(0xd7c0 + (code >> 10), 0xdc00 + (code & 0x3ff));
    else this.units.push(code);
    piece.left = Math.min(piece.left, glyph.left);
    piece.right = Math.max(piece.right, glyph.right);
    piece.bold &&= glyph.bold;
    if (glyph.size > piece.size) [piece.size, piece.baseline] = [glyph.size, glyph.baseline];
  }

  private continues(last: Glyph, next: Glyph): boolean {
    const em = Math.max(last.size, next.size);
    const widest = this.spacing === 'gap' && this.hasSpaces ? OWN_GAP : MAX_SPACE;
    return (
      next.turn === last.turn &&
      distance(last, next) <= em * widest &&
      Math.abs(next.baseline - last.baseline) <= em * SAME_LINE
    );
  }

  /**
   * Whether a space belongs between the glyphs. Letters that share a glyph share its width, so gaps appear inside
   * Hindi words.
   */
  private isSpaced(last: Glyph, next: Glyph): boolean {
    if (this.spacing !== 'gap') return this.spacing === 'space';
    const { withoutSpaces, withSpaces, afterMark } = MIN_GAP;
    const widest = !this.hasSpaces ? withoutSpaces : isMark(last.code) ? afterMark : withSpaces;
    return distance(last, next) > widest * next.size;
  }
}

const SPACE = 32;
const [RAISED, LOWERED, SHIFT_END] = [BASELINE_MARKS.raised, BASELINE_MARKS.lowered, BASELINE_MARKS.end].map((mark) =>
  mark.charCodeAt(0),
) as [number, number, number];

/** In batches: a function accepts some ten thousand arguments; a line has about a hundred characters. */
function textOf(units: readonly number[]): string {
  const AT_ONCE = 8_192;
  if (units.length <= AT_ONCE) return String.fromCharCode(...units);
  return textOf(units.slice(0, AT_ONCE)) + textOf(units.slice(AT_ONCE));
}

function begun({ left, right, baseline, size, bold, turn }: Glyph, page: number): Piece {
  return { text: '', page, left, right, baseline, size, bold, turn };
}

/** Field by field: Object.assign took a tenth of the time per page. */
function copy(from: Glyph, to: Glyph): void {
  to.code = from.code;
  to.left = from.left;
  to.right = from.right;
  to.baseline = from.baseline;
  to.size = from.size;
  to.bold = from.bold;
  to.turn = from.turn;
}

/** Distance between the boxes, in either order; zero or less if they overlap. */
const distance = (a: Glyph, b: Glyph): number => Math.max(b.left - a.right, a.left - b.right);

/** Half of the letters of a ligature have the same box, and marks are drawn over their letter. */
const isOver = (a: Glyph, b: Glyph): boolean =>
  b.left < a.left + 0.08 * b.size && (b.left !== a.left || b.right !== a.right) && b.right > b.left && !isMark(b.code);

/** By code, of the Basic Multilingual Plane: 1 no mark, 2 a mark, 0 not looked up yet. */
const MARKS = new Uint8Array(0x10000);

export function isMark(code: number): boolean {
  if (code < 0x300 || code > 0xffff) return false;
  if (MARKS[code] === 0) MARKS[code] = /\p{M}/u.test(String.fromCharCode(code)) ? 2 : 1;
  return MARKS[code] === 2;
}

/** Latin ligatures and presentation forms of Hebrew and Arabic letters are replaced by plain letters, as used in searches. */
const SHAPES = /[\ufb00-\ufdff\ufe70-\ufefc]/g;
/** Bullets of the fonts Symbol and Wingdings, in the private use area. */
export const isBullet = (code: number): boolean =>
  code >= 0xf000 && /^[\uf0b7\uf0a7\uf076\uf0d8\uf0fc\uf0a8]$/.test(String.fromCharCode(code));
const BULLETS = /[\uf0b7\uf0a7\uf076\uf0d8\uf0fc\uf0a8]/g;
/** Soft hyphens, unassigned and invisible characters. */
const NOISE = /[\p{Co}\p{Cn}\u007f-\u009f\u00ad\u200b\ufeff\ufffd]/gu;

/** Most texts need no cleaning. */
const PLAIN = /^[ -~]*$/;

export function clean(text: string): string {
  if (PLAIN.test(text)) return text.trim();
  return text
    .replace(BULLETS, '•')
    .replace(NOISE, '')
    .replace(SHAPES, (shape) => shape.normalize('NFKC'))
    .trim();
}

/** PDFium's code for the hyphen of a word that continues on the next line. */
export const LINE_END_HYPHEN = 2;
const HYPHEN = String.fromCharCode(LINE_END_HYPHEN);
const BULLET = /^[•◦▪‣●○■□∙·*–—-](?:\s+|$|(?<=[•◦▪‣●○■□])(?=\S))/u;
const NUMBER = /^(?:\(?\d{1,3}[.)]|\(?[a-z][.)])(?:\s|$)/i;
const SENTENCE_END = /[.!?:;…。！？：；।॥؟۔]["'”’»)\]]*$/u;
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303f\uff00-\uffef]/u;

/** Dots from an entry of a table of contents to its page number. */
export const LEADERS = /(?:\.\s?){5,}|…\s?…/u;

/** Whether the text ends with an entry of a table of contents. */
export const endsContentsEntry = (text: string): boolean =>
  /(?:(?:\.\s?){5,}|…\s?…)\s*(?:\p{N}+|[ivxlc]+)$/iu.test(text);

/** Dashes may also begin a line inside a sentence. */
export const startsWithDash = (line: string): boolean => /^[*–—-]/u.test(line);

export const startsWithBullet = (line: string): boolean => BULLET.test(line);

/** A box of a form, checked or not. */
export const startsWithBox = (line: string): boolean => /^[☐☑☒]/u.test(line);

export const startsWithNumber = (line: string): boolean => NUMBER.test(line);

/** Whether the text is only the bullet or the number of a list item. */
export const isMarker = (text: string): boolean => text.replace(BULLET, '').replace(NUMBER, '') === '';

export const endsSentence = (line: string): boolean => SENTENCE_END.test(line);

/** Whether the last word of the line continues on the next one. */
export const endsInHyphen = (line: string): boolean => line.endsWith(HYPHEN);

/** Joins a text and its next line; hyphenated words become one word. */
export function joinText(text: string, next: string): string {
  if (text === '' || next === '') return text + next;
  if (endsInHyphen(text)) return text.slice(0, -1) + next;
  // Lines may break after dashes and slashes between words without spaces.
  if (/[\p{L}\p{N}][-–—/]$/u.test(text)) return text + next;
  if (/^[,.;:!?)\]}،؛؟।。，、！？）」]/u.test(next)) return text + next;
  const unspaced = UNSPACED.test(text.at(-1) ?? '') && startsUnspaced(next);
  return unspaced ? text + next : `${text} ${next}`;
}

/** Whether the line begins with a script without spaces between words. */
export const startsUnspaced = (line: string): boolean => UNSPACED.test(line[0] ?? '');

/** The final text: list items begin with "- ", and marked hyphens inside a line become plain ones. */
export const readable = (text: string): string =>
  text.replaceAll(HYPHEN, '-').replace(BULLET, '- ').replace(ALL_LEADERS, ' … ');

const ALL_LEADERS = new RegExp(String.raw`\s*(?:${LEADERS.source})\s*(?=\S)`, 'gu');
