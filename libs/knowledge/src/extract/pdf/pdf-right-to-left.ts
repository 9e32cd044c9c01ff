import type { PageGlyph } from './pdf-doubles.js';
import { clean, isMark, type Piece, PieceWriter } from './pdf-piece.js';

/** Hebrew, Arabic, Syriac, Thaana, N'Ko and their presentation forms. */
export const isRightToLeftCode = (code: number): boolean =>
  (code >= 0x590 && code <= 0x8ff) || (code >= 0xfb1d && code <= 0xfdff) || (code >= 0xfe70 && code <= 0xfefc);

export const hasRightToLeft = (glyphs: readonly PageGlyph[]): boolean =>
  glyphs.some(({ code, mark }) => !mark && isRightToLeftCode(code));

/** In ems: distance of baselines within a line, of its marks, and of words. */
const SAME_LINE = 0.4;
const SAME_LINE_MARK = 0.9;
const GAP = { withSpaces: 0.33, withoutSpaces: 0.15 };
/** In ems: wider gaps, with and without a space in them, begin another column or cell. */
const WIDEST = { space: 1.8, gap: 0.4 };

/**
 * The pieces of a page with right-to-left text. PDFium guesses the order of letters, numbers and Latin words, differently for each
 * font: here the places of the glyphs decide, as a reader sees them.
 */
export function rightToLeftPieces(glyphs: readonly PageGlyph[], page: number, hasSpaces: boolean): Piece[] {
  const isBase = lettersOf(glyphs, isRightToLeftCode) > lettersOf(glyphs, isLatin);
  const found = linesOf(glyphs).flatMap((line) => {
    if (!hasRightToLeft(line)) return fromTheLeft(line, page, hasSpaces);
    return segmentsOf(unitsOf(line), hasSpaces).map((units) => ({
      order: Math.min(...units.map(({ order }) => order)),
      piece: pieceOf(units, page, isBase, hasSpaces),
    }));
  });
  return found.toSorted((a, b) => a.order - b.order).flatMap(({ piece }) => (piece.text === '' ? [] : [piece]));
}

const isLatin = (code: number): boolean =>
  code < 0x80 ? (code | 32) >= 97 && (code | 32) <= 122 : code < 0x590 && /\p{L}/u.test(String.fromCodePoint(code));

const lettersOf = (glyphs: readonly PageGlyph[], is: (code: number) => boolean): number =>
  glyphs.reduce((sum, { code, mark }) => sum + (!mark && is(code) ? 1 : 0), 0);

/** Glyphs with the same baseline, also of different columns. */
function linesOf(glyphs: readonly PageGlyph[]): PageGlyph[][] {
  const lines: PageGlyph[][] = [];
  let current: PageGlyph[] | undefined;
  for (const glyph of glyphs) {
    // Derived separators have no place.
    if (glyph.mark !== 'gap' && glyph.mark !== 'line' && !(current && isOnLine(current, glyph))) {
      current = lines.findLast((line) => isOnLine(line, glyph)) ?? [];
      if (current.length === 0) lines.push(current);
    }
    current?.push(glyph);
  }
  return lines;
}

function isOnLine(line: readonly PageGlyph[], glyph: PageGlyph): boolean {
  const first = line[0]!;
  const most = (isMark(glyph.code) ? SAME_LINE_MARK : SAME_LINE) * Math.max(first.size, glyph.size);
  return first.turn === glyph.turn && Math.abs(first.baseline - glyph.baseline) <= most;
}

/** A line without right-to-left letters is read in the order of PDFium. */
function fromTheLeft(line: readonly PageGlyph[], page: number, hasSpaces: boolean): { order: number; piece: Piece }[] {
  const writer = new PieceWriter(page, hasSpaces);
  for (const glyph of line) {
    if (glyph.mark) writer.break(glyph.mark);
    else writer.add(glyph);
  }
  return writer.end().map((piece, index) => ({ order: (line[0]?.order ?? 0) + index / 1_000, piece }));
}

/** What one glyph of the font stands for: a letter with its marks, or the letters of a ligature; `text` is in reading order. */
interface Unit {
  text: string;
  left: number;
  right: number;
  glyph: PageGlyph;
  order: number;
}

/** From right to left. */
function unitsOf(line: readonly PageGlyph[]): Unit[] {
  const groups: PageGlyph[][] = [];
  for (const glyph of line) {
    if (glyph.mark && glyph.mark !== 'space') continue;
    const group = groups.at(-1);
    const last = group?.at(-1);
    if (group && last && last.object === glyph.object && last.origin === glyph.origin && !glyph.mark) group.push(glyph);
    else groups.push([glyph]);
  }
  const units = groups.map(unitOf);
  const letters = units.filter(({ text }) => !isMark(text.codePointAt(0) ?? 0));
  for (const mark of units) {
    const letter = isMark(mark.text.codePointAt(0) ?? 0) ? letterUnder(mark, letters) : undefined;
    if (!letter) continue;
    letter.text += mark.text;
    // Some marks take up room.
    if (mark.right > mark.left && letter.left - mark.left < mark.glyph.size)
      letter.left = Math.min(letter.left, mark.left);
  }
  return letters.toSorted((a, b) => b.left + b.right - a.left - a.right || a.order - b.order);
}

function unitOf(group: readonly PageGlyph[]): Unit {
  const [glyph] = group as [PageGlyph];
  const { left, right, order, code } = glyph;
  if (group.length === 1) return { text: String.fromCodePoint(code), left, right, glyph, order };
  return {
    text: ligature(group.map((part) => String.fromCodePoint(part.code))),
    left: Math.min(...group.map((part) => part.left)),
    right: Math.max(...group.map((part) => part.right)),
    glyph,
    order,
  };
}

/** The letter over or under which the mark is drawn: the nearest one before it if it is drawn beside all letters. */
function letterUnder(mark: Unit, letters: readonly Unit[]): Unit | undefined {
  const place = (mark.left + mark.right) / 2;
  const distance = ({ left, right, text, order }: Unit): number => {
    const beside = Math.max(left - place, place - right, 0);
    // Of two letters that touch at the mark, the one that was written before it.
    return beside + (order > mark.order ? 1e-3 : 0) + (text.trim() === '' ? 1e6 : 0);
  };
  return letters.reduce<Unit | undefined>(
    (best, letter) => (best === undefined || distance(letter) < distance(best) ? letter : best),
    undefined,
  );
}

/** Letters of each presentation form of several letters, sorted, to their order. */
const LIGATURES = new Map<string, string>();

function ligatures(): Map<string, string> {
  if (LIGATURES.size > 0) return LIGATURES;
  for (let code = 0xfefc; code >= 0xfb1d; code--) {
    const letters = String.fromCodePoint(code).normalize('NFKC');
    if (letters.length > 1 && !letters.includes(' ')) LIGATURES.set(Array.from(letters).toSorted().join(''), letters);
  }
  return LIGATURES;
}

/**
 * PDFium returns the letters of a ligature in reading order if the font names a presentation form, and reversed if it lists the
 * letters. Some fonts list them reversed. A ligature of known letters has one order only.
 */
function ligature(letters: readonly string[]): string {
  const known = ligatures().get(letters.toSorted().join(''));
  if (known !== undefined) return known;
  if (!letters.some((letter) => isRightToLeftCode(letter.codePointAt(0)!))) return letters.join('');
  const reversed = letters.toReversed();
  return isMark(reversed[0]!.codePointAt(0)!) ? letters.join('') : reversed.join('');
}

/** Parts of the line between wide gaps. */
function segmentsOf(units: readonly Unit[], hasSpaces: boolean): Unit[][] {
  const segments: Unit[][] = [];
  let last: Unit | undefined;
  let spaced = false;
  for (const unit of units) {
    if (unit.text.trim() === '') {
      spaced = true;
      segments.at(-1)?.push(unit);
      continue;
    }
    const em = Math.max(unit.glyph.size, last?.glyph.size ?? 0);
    const widest = em * (spaced || !hasSpaces ? WIDEST.space : WIDEST.gap);
    if (!last || last.left - unit.right > widest) segments.push([unit]);
    else segments.at(-1)?.push(unit);
    [last, spaced] = [unit, false];
  }
  return segments;
}

function pieceOf(units: readonly Unit[], page: number, isBase: boolean, hasSpaces: boolean): Piece {
  const gap = hasSpaces ? GAP.withSpaces : GAP.withoutSpaces;
  const seen: string[] = [];
  let last: Unit | undefined;
  for (const unit of units) {
    const isSpace = unit.text.trim() === '';
    if (!isSpace && last && last.left - unit.right > gap * unit.glyph.size && seen.at(-1) !== ' ') seen.push(' ');
    if (!isSpace || seen.at(-1) !== ' ') seen.push(isSpace ? ' ' : unit.text);
    if (!isSpace) last = unit;
  }
  const drawn = units.filter(({ text }) => text.trim() !== '');
  const glyphs = drawn.map(({ glyph }) => glyph);
  const largest = glyphs.reduce((most, glyph) => (glyph.size > most.size ? glyph : most));
  return {
    text: clean(withBrackets(inReadingOrder(seen, isBase))),
    page,
    left: Math.min(...drawn.map(({ left }) => left)),
    right: Math.max(...drawn.map(({ right }) => right)),
    baseline: largest.baseline,
    size: largest.size,
    bold: glyphs.every(({ bold }) => bold),
    turn: largest.turn,
  };
}

type Direction = 'right' | 'left' | 'number' | 'sign';

const DIRECTIONS = new Map<string, Direction>();

/** Remembered: a page has thousands of letters, and a document a few hundred different ones. */
function directionOf(text: string): Direction {
  const known = DIRECTIONS.get(text);
  if (known !== undefined) return known;
  const direction = foundDirectionOf(text);
  if (text.length === 1) DIRECTIONS.set(text, direction);
  return direction;
}

function foundDirectionOf(text: string): Direction {
  const code = text.codePointAt(0) ?? 0;
  if (/\p{Nd}/u.test(text)) return 'number';
  if (/\p{L}/u.test(text)) return isRightToLeftCode(code) ? 'left' : 'right';
  return 'sign';
}

/** Signs of numbers, see the classes CS, ES and ET of the Unicode bidirectional algorithm (UAX 9). */
const BETWEEN_NUMBERS = /^[.,:/\u00a0]$/;
const BETWEEN_HEBREW_NUMBERS = /^[-+]$/;
const BESIDE_HEBREW_NUMBERS = /^[%$€£₪°#‰]$/u;
const UNITS =
  /^(?:[KMGT]i?B|[kcm]?m|[km]?g|m?l|k?Wh?|m?A|V|[kMG]?Hz|[KMG]bps|USD|EUR|GBP|SAR|AED|EGP|ILS|NIS|JOD|KWD|QAR|px|dpi|[CF]|[ap]m|[AP]M)$/;

/**
 * The text of glyphs seen from right to left: Latin words and numbers, which run from left to right, are restored. `isBase`: the
 * page is written from right to left; otherwise the line is, with right-to-left words in it.
 */
export function inReadingOrder(seen: readonly string[], isBase: boolean): string {
  if (!isBase) return withRightToLeftWords(seen.toReversed());
  const directions = seen.map(directionOf);
  const isHebrew = !seen.some((text) => /[\u0600-\u08ff\ufb50-\ufefc]/u.test(text));
  let text = '';
  for (let at = 0; at < seen.length;) {
    const end = endOfRun(seen, directions, at, isHebrew);
    text += end === at ? seen[at] : seen.slice(at, end).toReversed().join('');
    at = Math.max(end, at + 1);
  }
  return text;
}

/** After the last glyph of a run from left to right that begins (with its right end) at `at`; `at` if there is none. */
function endOfRun(seen: readonly string[], directions: readonly Direction[], at: number, isHebrew: boolean): number {
  const isRun = (index: number): boolean => directions[index] === 'right' || directions[index] === 'number';
  const isSign = (index: number): boolean => isHebrew && BESIDE_HEBREW_NUMBERS.test(seen[index] ?? '');
  if (!isRun(at) && !(isSign(at) && directions[at + 1] === 'number')) return at;
  let end = at + 1;
  for (;;) {
    if (isRun(end)) end++;
    else if (isSign(end) && directions[end - 1] === 'number') end++;
    else {
      let next = end;
      while (directions[next] === 'sign') next++;
      if (next === end || next >= seen.length || !isRun(next) || !joins(seen, directions, end, next, isHebrew))
        return end;
      end = next + 1;
    }
  }
}

/** Whether the signs from `end` to `next` belong to the run; what stands left of them is read first. */
function joins(
  seen: readonly string[],
  directions: readonly Direction[],
  end: number,
  next: number,
  isHebrew: boolean,
): boolean {
  const [after, before] = [directions[end - 1], directions[next]];
  if (before === 'number') {
    const sign = next - end === 1 ? seen[end]! : '';
    const isOfNumber = BETWEEN_NUMBERS.test(sign) || (isHebrew && BETWEEN_HEBREW_NUMBERS.test(sign));
    return (after === 'number' && isOfNumber) || continuesLatin(seen, directions, next);
  }
  if (after === 'right') return true;
  // "5 GB" looks like "GB 5" in a right-to-left line, and "Windows 11" looks like itself.
  let word = '';
  for (let index = next; directions[index] === 'right'; index++) word = seen[index]! + word;
  return !UNITS.test(word);
}

/** Whether the number at `at` follows a Latin word, such as the 2 of "Plan 2 Plus". */
function continuesLatin(seen: readonly string[], directions: readonly Direction[], at: number): boolean {
  let index = at;
  while (directions[index] === 'number' || directions[index] === 'sign') index++;
  return (
    directions[index] === 'right' &&
    /^\s?$/.test(
      seen
        .slice(at, index)
        .filter((text) => !/\d/.test(text))
        .join(''),
    )
  );
}

/** Right-to-left words inside a line from left to right. */
function withRightToLeftWords(seen: readonly string[]): string {
  const directions = seen.map(directionOf);
  let text = '';
  for (let at = 0; at < seen.length;) {
    let end = at;
    for (let next = at; directions[at] === 'left' && next < seen.length && directions[next] !== 'right'; next++)
      if (directions[next] === 'left') end = next + 1;
    text += end === at ? seen[at] : inReadingOrder(seen.slice(at, end).toReversed(), true);
    at = Math.max(end, at + 1);
  }
  return text;
}

const OPENING: Record<string, string> = {
  '(': '(',
  ')': '(',
  '[': '[',
  ']': '[',
  '{': '{',
  '}': '{',
  '«': '«',
  '»': '«',
};
const CLOSING: Record<string, string> = { '(': ')', '[': ']', '{': '}', '«': '»' };

/** Fonts name brackets as drawn or as read, and PDFium mirrors some of them: their places decide which ones open. */
export function withBrackets(text: string): string {
  const open: string[] = [];
  return text.replace(/[()[\]{}«»]/gu, (bracket, at: number) => {
    const kind = OPENING[bracket]!;
    const [before, after] = [text[at - 1] ?? ' ', text[at + 1] ?? ' '];
    const opens = /\s/.test(before) && /\S/.test(after);
    const closes = /\S/.test(before) && /[\s.,،؛:;!?؟]/u.test(after);
    if (opens || (!closes && !open.includes(kind))) {
      open.push(kind);
      return kind;
    }
    const index = open.lastIndexOf(kind);
    if (index >= 0) open.splice(index, 1);
    return CLOSING[kind]!;
  });
}
