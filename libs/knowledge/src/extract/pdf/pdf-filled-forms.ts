import type { PageAnnotation } from './pdf-annotations.js';
import { isSameRow, overlapX } from './pdf-order.js';
import type { Piece } from './pdf-piece.js';
import { spelledTogether } from '../text/text-marks.js';

/** In ems: widest gap between a box and its label, and between a value and the label above it. */
const BESIDE = 3;
const ABOVE = 2.5;
/** In points: fields may begin a little before the end of their label. */
const SLACK = 4;
/** Room to write on: replaced by the value that is written there. */
const BLANK = /_{3,}|\.{5,}|…{2,}/g;
/** Values of boxes that only say that the box is checked. */
const PLAIN_VALUE = /^(?:yes|on|off|true|checked|x|ja|oui|s[ií]|choice ?\d*|option ?\d*|button ?\d*|value|\d*)$/i;
const CHECKED = '☒';
const UNCHECKED = '☐';
const DEFAULT_SIZE = 10;
/** More links to addresses than any page of a directory has; each is compared with the pieces of the page. */
const MAX_CONTACTS = 2_000;

/** The pieces of a page with the values of its form and its notes, each where a reader sees it. */
export function withAnnotations(
  pieces: readonly Piece[],
  annotations: readonly PageAnnotation[],
  page: number,
): Piece[] {
  if (annotations.length === 0) return [...pieces];
  const form = new FilledForm(pieces, page);
  const sorted = annotations.toSorted((a, b) => a.top - b.top || a.left - b.left);
  for (const annotation of sorted) {
    if (annotation.kind === 'contact') continue;
    if (annotation.kind === 'checked' || annotation.kind === 'unchecked') form.addBox(annotation);
    else form.addText(annotation, sorted);
  }
  form.addContacts(sorted.filter(({ kind }) => kind === 'contact').slice(0, MAX_CONTACTS));
  return form.pieces;
}

class FilledForm {
  readonly pieces: Piece[];
  /** Pieces that were added: they are not labels. */
  private readonly added = new Set<Piece>();
  private readonly size: number;

  constructor(
    pieces: readonly Piece[],
    private readonly page: number,
  ) {
    this.pieces = pieces.map((piece) => ({ ...piece }));
    const sizes = pieces.map(({ size }) => size).toSorted((a, b) => a - b);
    this.size = sizes[sizes.length >> 1] ?? DEFAULT_SIZE;
  }

  addText(annotation: PageAnnotation, all: readonly PageAnnotation[]): void {
    if (this.isDrawn(annotation)) return;
    if (annotation.kind === 'value' && this.fillBlank(annotation, all)) return;
    const label = annotation.kind === 'value' ? this.labelLeftOf(annotation) : undefined;
    const [first = '', ...rest] = annotation.text.split(/[\r\n\u2028\u2029]+/).filter((line) => line.trim() !== '');
    if (label && rest.length === 0 && !hasFieldBeside(annotation, all)) {
      label.text = `${label.text} ${first}`;
      label.right = Math.max(label.right, annotation.right);
      return;
    }
    const isLabelled = annotation.kind === 'note' || label || this.labelAbove(annotation) || this.isInRow(annotation);
    const start = isLabelled || annotation.label === '' ? first : `${annotation.label}: ${first}`;
    this.insert([start, ...rest].map((text, line) => this.pieceOf(annotation, text, line)));
  }

  /** Each behind the last words of its link, unless the page has the address anyway. */
  addContacts(annotations: readonly PageAnnotation[]): void {
    if (annotations.length === 0) return;
    for (const annotation of annotations) {
      const middle = (annotation.top + annotation.bottom) / 2;
      const words = this.pieces.findLast(
        (piece) =>
          overlapX(piece, annotation) > 0 && Math.abs(piece.baseline - 0.3 * piece.size - middle) <= 0.6 * piece.size,
      );
      if (words) words.text += annotation.text;
    }
    const texts = spelledTogether(this.pieces.map(({ text }) => text));
    this.pieces.forEach((piece, index) => (piece.text = texts[index] ?? piece.text));
  }

  /** An empty box without a label says nothing. */
  addBox(annotation: PageAnnotation): void {
    const mark = annotation.kind === 'checked' ? CHECKED : UNCHECKED;
    const around = this.pieces.find((piece) => isOnRow(piece, annotation) && isAround(piece, annotation));
    const after = this.labelRightOf(annotation);
    if (after) {
      after.text = `${mark} ${after.text}`;
      after.left = Math.min(after.left, annotation.left);
    } else if (around) {
      around.text = withMark(around, annotation, mark);
    } else {
      const before = this.labelLeftOf(annotation);
      if (before && annotation.left - before.right <= BESIDE * before.size) before.text = `${before.text} ${mark}`;
      else if (annotation.kind === 'checked')
        this.insert([this.pieceOf(annotation, `${mark} ${nameOf(annotation)}`, 0)]);
    }
  }

  /** Whether the page's own text contains the value at this place. */
  private isDrawn(annotation: PageAnnotation): boolean {
    const below = this.pieces.filter(
      (piece) =>
        !this.added.has(piece) &&
        piece.baseline >= annotation.top - SLACK &&
        piece.baseline - 0.5 * piece.size <= annotation.bottom + SLACK &&
        overlapX(piece, annotation) > 0,
    );
    if (below.length === 0) return false;
    const words = (text: string): string => ` ${(text.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? []).join(' ')} `;
    return words(below.map(({ text }) => text).join(' ')).includes(words(annotation.text));
  }

  /** "Name: ______" with a field for each blank. */
  private fillBlank(annotation: PageAnnotation, all: readonly PageAnnotation[]): boolean {
    const piece = this.pieces.find((one) => isOnRow(one, annotation) && overlapX(one, annotation) > 0);
    const blanks = [...(piece?.text.matchAll(BLANK) ?? [])];
    if (!piece || blanks.length === 0) return false;
    const fields = all
      .filter((other) => other.kind === 'value' && isOnRow(piece, other) && overlapX(piece, other) > 0)
      .toSorted((a, b) => a.left - b.left);
    const width = (piece.right - piece.left) / Math.max(piece.text.length, 1);
    const place = (annotation.left + annotation.right) / 2;
    // Blanks of empty fields stay: the nearest one is filled.
    const distance = ({ index, 0: { length } }: RegExpExecArray): number =>
      Math.abs(piece.left + (index + length / 2) * width - place);
    const nearest = blanks.toSorted((a, b) => distance(a) - distance(b))[0]!;
    const blank = blanks.length === fields.length ? blanks[0]! : nearest;
    const [before, after] = [piece.text.slice(0, blank.index), piece.text.slice(blank.index + blank[0].length)];
    piece.text = [before.trimEnd(), annotation.text, after.trimStart()].filter((part) => part !== '').join(' ');
    return true;
  }

  private labelLeftOf(annotation: PageAnnotation): Piece | undefined {
    const nearest = this.pieces
      .filter((piece) => isOnRow(piece, annotation) && piece.right <= annotation.left + SLACK)
      .reduce<Piece | undefined>((best, piece) => (best && best.right >= piece.right ? best : piece), undefined);
    return nearest && !this.added.has(nearest) ? nearest : undefined;
  }

  private labelRightOf(annotation: PageAnnotation): Piece | undefined {
    const near = this.pieces.filter(
      (piece) =>
        isOnRow(piece, annotation) &&
        piece.left >= annotation.right - SLACK &&
        piece.left - annotation.right <= BESIDE * piece.size,
    );
    return near.toSorted((a, b) => a.left - b.left)[0];
  }

  private labelAbove(annotation: PageAnnotation): Piece | undefined {
    return this.pieces.find(
      (piece) =>
        !this.added.has(piece) &&
        piece.baseline <= annotation.top + SLACK &&
        annotation.top - piece.baseline <= ABOVE * piece.size &&
        overlapX(piece, annotation) > 0,
    );
  }

  private isInRow(annotation: PageAnnotation): boolean {
    return this.pieces.some((piece) => isOnRow(piece, annotation) && piece.right <= annotation.left + SLACK);
  }

  private pieceOf({ left, right, top, bottom }: PageAnnotation, text: string, line: number): Piece {
    const { page, size } = this;
    const height = bottom - top;
    const first = height < 2 * size ? (top + bottom) / 2 + 0.35 * size : top + 1.1 * size;
    const piece = { text, page, left, right, baseline: first + line * 1.2 * size, size, bold: false, turn: 0 };
    this.added.add(piece);
    return piece;
  }

  /** After the piece to the left on the same row, else after the nearest piece above it. */
  private insert(lines: Piece[]): void {
    const [first] = lines;
    if (!first) return;
    const beside = this.last(
      (piece) => Math.abs(piece.baseline - first.baseline) <= 0.7 * this.size && piece.left < first.left,
      (piece) => piece.right,
    );
    const above = this.last(
      (piece) => piece.baseline < first.baseline - 0.3 * this.size && overlapX(piece, first) > 0,
      (piece) => piece.baseline,
    );
    const over = this.last(
      (piece) => piece.baseline < first.baseline,
      (piece) => piece.baseline,
    );
    const at = beside ?? this.endOfRow(above ?? over ?? -1);
    this.pieces.splice(at + 1, 0, ...lines);
  }

  private endOfRow(at: number): number {
    const [piece, next] = [this.pieces[at], this.pieces[at + 1]];
    return piece && next && isSameRow(piece, next) ? this.endOfRow(at + 1) : at;
  }

  /** Index of the piece with the highest value. */
  private last(is: (piece: Piece) => boolean, value: (piece: Piece) => number): number | undefined {
    let best: number | undefined;
    this.pieces.forEach((piece, index) => {
      if (is(piece) && (best === undefined || value(piece) >= value(this.pieces[best]!))) best = index;
    });
    return best;
  }
}

/** Whether the piece is on the row of a field; on the first row of a high one. */
function isOnRow({ baseline, size }: Piece, { top, bottom }: PageAnnotation): boolean {
  const middle = baseline - 0.35 * size;
  return middle >= top - 0.5 * size && middle <= Math.min(bottom + 0.5 * size, top + 2.5 * size);
}

const isAround = (piece: Piece, { left, right }: PageAnnotation): boolean =>
  piece.left < left && piece.right > right + SLACK;

/** In a table of fields, a label names a row or a column: values are cells. */
const hasFieldBeside = (annotation: PageAnnotation, all: readonly PageAnnotation[]): boolean =>
  all.some(
    (other) =>
      other.kind === 'value' &&
      other.left >= annotation.right - SLACK &&
      other.left - annotation.right <= 2 * SLACK &&
      Math.min(other.bottom, annotation.bottom) - Math.max(other.top, annotation.top) > 0,
  );

/** The text with the mark before the word at the place of the box. */
function withMark({ text, left, right }: Piece, box: PageAnnotation, mark: string): string {
  const place = Math.round(((box.left - left) / Math.max(right - left, 1)) * text.length);
  const spaces = [...text.matchAll(/\s+/g)].map(({ index }) => index);
  const at = spaces.toSorted((a, b) => Math.abs(a - place) - Math.abs(b - place))[0] ?? text.length;
  return `${text.slice(0, at)} ${mark}${text.slice(at)}`;
}

const nameOf = ({ label, text }: PageAnnotation): string =>
  text === '' || PLAIN_VALUE.test(text) ? label : [label, text].filter((part) => part !== '').join(': ');
