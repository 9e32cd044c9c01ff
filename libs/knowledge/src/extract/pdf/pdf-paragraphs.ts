import {
  endsContentsEntry,
  endsInHyphen,
  endsSentence,
  joinText,
  type Piece,
  readable,
  startsUnspaced,
  startsWithBox,
  startsWithBullet,
  startsWithDash,
  startsWithNumber,
} from './pdf-piece.js';
import { isSameRow, overlapX } from './pdf-order.js';

/** Consecutive lines of one paragraph. */
export interface Paragraph {
  text: string;
  page: number;
  size: number;
  bold: boolean;
  turn: number;
  /** Baselines of its first and last line, and its extent. */
  top: number;
  bottom: number;
  left: number;
  right: number;
  lines: number;
  /** A list item. */
  item: boolean;
}

/** Relative to the usual line distance: a larger distance separates paragraphs. */
export const WIDER = 1.25;
/** In ems: minimum of a significant indent. */
const INDENT = 0.8;
/** Relative difference of font sizes from which text is of another kind. */
const OTHER_SIZE = 0.08;
/** Share of the column's width: a line with more room left ends a paragraph, even without a full stop. */
const ROOM_LEFT = 0.4;

/** Joins lines into paragraphs, also across columns and pages. */
export class ParagraphWriter {
  private readonly lines: Piece[] = [];
  private text = '';
  /** Right edge of the last line's column. */
  private edge = 0;

  /** `leading`: the usual distance between lines, in ems. */
  constructor(private readonly leading: number) {}

  /** Returns the paragraph that ends before this line, if any. `edge`: right edge of the line's column. */
  add(line: Piece, edge: number): Paragraph | undefined {
    const last = this.lines.at(-1);
    const ended = last && !this.continues(last, line) ? this.end() : undefined;
    this.text = joinText(this.text, line.text);
    this.lines.push(line);
    this.edge = edge;
    return ended;
  }

  end(): Paragraph | undefined {
    const [first] = this.lines;
    if (!first) return undefined;
    const size = Math.max(...this.lines.map((line) => line.size));
    const bold = this.lines.every((line) => line.bold);
    const item = isItem(first.text);
    const text = readable(this.text);
    const place = {
      turn: first.turn,
      top: first.baseline,
      bottom: this.lines.at(-1)?.baseline ?? first.baseline,
      left: Math.min(...this.lines.map((line) => line.left)),
      right: Math.max(...this.lines.map((line) => line.right)),
    };
    const paragraph = { text, page: first.page, size, bold, ...place, lines: this.lines.length, item };
    this.lines.length = 0;
    this.text = '';
    return paragraph;
  }

  private continues(last: Piece, next: Piece): boolean {
    if (isSameRow(last, next)) return true;
    if (endsContentsEntry(this.text)) return false;
    if (!isSameSize(last, next) || last.bold !== next.bold || last.turn !== next.turn) return false;
    if (endsInHyphen(last.text)) return true;
    if (this.beginsItem(last, next)) return false;
    if (isBackBelow(last, next)) return this.continuesRow(last, next);
    if (isElsewhere(last, next)) return !endsSentence(last.text) && !this.endsShort(last, next);
    if (next.baseline - last.baseline > this.leading * WIDER * last.size) return false;
    return this.isAligned(last, next) && !this.endsParagraph(last, next);
  }

  /** Whether the next line continues a row of several pieces, of which `last` is the rightmost. */
  private continuesRow(last: Piece, next: Piece): boolean {
    const first = this.lines.find(
      (line) => line.page === last.page && Math.abs(line.baseline - last.baseline) < line.size / 2,
    );
    const isClose = next.baseline - last.baseline <= this.leading * WIDER * last.size;
    return first !== undefined && isClose && overlapX(first, next) > 0 && !this.endsParagraph(last, next);
  }

  private beginsItem(last: Piece, next: Piece): boolean {
    if (!isItem(next.text)) return false;
    const isClear = (startsWithBullet(next.text) && !startsWithDash(next.text)) || startsWithBox(next.text);
    return isClear || isItem(this.lines[0]?.text ?? '') || this.endsShort(last, next);
  }

  /** An indented line begins a paragraph, unless it is the hanging indent of a list item or all lines are indented. */
  private isAligned(last: Piece, next: Piece): boolean {
    const indent = (next.left - last.left) / next.size;
    const begins = this.lines.length === 1;
    if (indent > INDENT) return begins && isItem(last.text);
    return indent > -INDENT || begins || isCentred(last, next);
  }

  private endsParagraph(last: Piece, next: Piece): boolean {
    if (!this.endsShort(last, next)) return false;
    const width = Math.max(this.edge - Math.min(last.left, next.left), 1);
    return endsSentence(last.text) || (this.edge - last.right) / width > ROOM_LEFT;
  }

  /** Whether the next line's first word would have fit on this line. */
  private endsShort(last: Piece, next: Piece): boolean {
    const word = startsUnspaced(next.text) ? 1 : `${next.text} `.indexOf(' ');
    const width = ((next.right - next.left) * word) / Math.max(next.text.length, 1);
    return this.edge - last.right > width + 0.5 * last.size;
  }
}

const isItem = (text: string): boolean => startsWithBullet(text) || startsWithNumber(text) || startsWithBox(text);

export const isSameSize = (a: Piece, b: Piece): boolean =>
  Math.abs(a.size - b.size) <= OTHER_SIZE * Math.max(a.size, b.size);

/** Below and further left, as no next column is. */
const isBackBelow = (last: Piece, next: Piece): boolean =>
  last.page === next.page && next.baseline > last.baseline && next.right <= last.left;

/** In another column or on another page. */
const isElsewhere = (last: Piece, next: Piece): boolean =>
  last.page !== next.page || next.baseline < last.baseline || overlapX(last, next) <= 0;

const isCentred = (a: Piece, b: Piece): boolean => Math.abs(a.left + a.right - b.left - b.right) < a.size;
