import type { Paragraph } from './pdf-paragraphs.js';
import { LEADERS, type Piece } from './pdf-piece.js';

/** Size of titles relative to the body text, at least. */
const LARGER = 1.12;
/** Sizes that differ by less belong to the same level. In points. */
const SAME_LEVEL = 0.6;
const MAX_LENGTH = 200;
const MAX_STRONG_LENGTH = 120;
/** A larger text that is a longer sentence is an introduction or a quotation. */
const MAX_SENTENCE_LENGTH = 80;
const MAX_LINES = 3;
const MIN_LEVEL = 6;
/** Share of the text: if more of it is bold or in capitals, that does not indicate titles. */
const MAX_STRONG = 0.3;
/** Fewer capital letters are an abbreviation. */
const MIN_CAPITALS = 8;
/** More large lines in a row without text between them are a list, a cover or labels of a figure. */
const MAX_IN_A_ROW = 4;
/** In ems: the text below a title in the size of the text begins within this distance. */
const NEAR = 4;
/** Share of letters in a title. */
const MIN_LETTERS = 0.4;

/**
 * Detects headings and their levels. Sizes are compared with that of the text: the median over all characters of the document, so
 * that neither footnotes nor tables nor a list of many short lines decide.
 */
export class HeadingLevels {
  private readonly levels = new Map<Paragraph, number>();
  private readonly body: number;
  private readonly turns: Map<number, number>;
  private readonly strongCounts: boolean;

  /** `paragraphs`: in reading order, undefined for a table; `pages`: all lines. */
  constructor(paragraphs: readonly (Paragraph | undefined)[], pages: readonly Piece[][]) {
    this.body = medianSize(pages);
    this.turns = usualTurns(pages);
    const texts = paragraphs.filter((paragraph) => paragraph !== undefined);
    this.strongCounts = textLength(texts.filter(isStrong)) < textLength(texts) * MAX_STRONG;
    const larger = this.largerOf(paragraphs);
    const sizes = sizesOf(larger);
    for (const paragraph of larger)
      this.levels.set(paragraph, sizes.findIndex((size) => size - paragraph.size <= SAME_LEVEL) + 1);
    paragraphs.forEach((paragraph, index) => {
      if (
        paragraph &&
        !this.levels.has(paragraph) &&
        this.isStrongTitle(paragraph, paragraphs.slice(index + 1, index + 3))
      )
        this.levels.set(paragraph, sizes.length + 1);
    });
  }

  /** 1 to 6; undefined if the paragraph is not a heading. */
  of(paragraph: Paragraph): number | undefined {
    const level = this.levels.get(paragraph);
    return level === undefined ? undefined : Math.min(level, MIN_LEVEL);
  }

  private largerOf(paragraphs: readonly (Paragraph | undefined)[]): Paragraph[] {
    const larger: Paragraph[] = [];
    let row: Paragraph[] = [];
    const close = (): void => {
      const counts = new Map<number, number>();
      for (const { size } of row) counts.set(size, (counts.get(size) ?? 0) + 1);
      larger.push(...row.filter(({ size }) => (counts.get(size) ?? 0) <= MAX_IN_A_ROW));
      row = [];
    };
    for (const paragraph of paragraphs) {
      if (paragraph && this.isLarger(paragraph)) row.push(paragraph);
      else close();
    }
    close();
    const texts = paragraphs.filter((paragraph) => paragraph !== undefined).filter(isRunningText);
    const sizes = new Set(larger.map(({ size }) => round(size)));
    const ofText = new Set([...sizes].filter((size) => isSizeOfText(size, larger, texts)));
    return larger.filter(({ size }) => !ofText.has(round(size)));
  }

  private isLarger({ text, size, lines, page, turn }: Paragraph): boolean {
    const isShort = text.length <= MAX_LENGTH && lines <= MAX_LINES;
    return size >= this.body * LARGER && isShort && turn === this.turns.get(page) && isTitle(text);
  }

  /** In the size of the text: it stands above text that is neither bold nor in capitals. */
  private isStrongTitle(paragraph: Paragraph, [next, second]: readonly (Paragraph | undefined)[]): boolean {
    const { text, size, lines, item, page, turn } = paragraph;
    const short = text.length <= MAX_STRONG_LENGTH && lines < MAX_LINES && size >= this.body * 0.95;
    return (
      this.strongCounts &&
      short &&
      turn === this.turns.get(page) &&
      isStrong(paragraph) &&
      isTitle(text) &&
      !/[.,;:!。，；：]$/u.test(text) &&
      !(item && text.startsWith('-')) &&
      next !== undefined &&
      isAbove(paragraph, next) &&
      // A subtitle may follow.
      (!isStrong(next) || this.levels.has(next) || (second !== undefined && !isStrong(second) && isAbove(next, second)))
    );
  }
}

/** Whether the next paragraph begins below, or at the top of the next column or page. */
function isAbove(title: Paragraph, next: Paragraph): boolean {
  if (next.page !== title.page || next.top < title.top) return next.page <= title.page + 1;
  return (
    next.top - title.bottom <= NEAR * title.size && Math.min(title.right, next.right) > Math.max(title.left, next.left)
  );
}

const isRunningText = ({ text }: Paragraph): boolean =>
  text.length > MAX_SENTENCE_LENGTH && isTitle(text.slice(0, MAX_SENTENCE_LENGTH));

/** Whether more of the text in this size is running text than titles. */
function isSizeOfText(size: number, titles: readonly Paragraph[], texts: readonly Paragraph[]): boolean {
  const same = (paragraph: Paragraph): boolean => Math.abs(paragraph.size - size) <= SAME_LEVEL / 2;
  const running = new Set(texts.filter(same));
  for (const title of titles) running.delete(title);
  return textLength([...running]) > textLength(titles.filter(same));
}

function sizesOf(paragraphs: readonly Paragraph[]): number[] {
  const sizes: number[] = [];
  for (const { size } of paragraphs.toSorted((a, b) => b.size - a.size)) {
    const last = sizes.at(-1);
    if (last === undefined || last - size > SAME_LEVEL) sizes.push(size);
  }
  return sizes;
}

/** A price or a measure. */
const AMOUNT =
  /^[\p{N}\p{Sc}.,\s–-]+(?:EUR|USD|GBP|CHF|SEK|NOK|DKK|PLN|CZK|HUF|TRY|RUB|JPY|CNY|INR|SAR|AED|[km]?g|[cmk]?m|m?l|k?Wh?|V|m?A|[kMG]?Hz|[KMGT]B)\.?$/iu;
const SECTION_NUMBER = /^(?:[\p{N}.]+|[ivxlc]+[.)]|\(?\p{L}[.)])\s+/iu;

/** Whether the text can be a title: words, not a number, a single letter, an address or a line of a table of contents. */
function isTitle(text: string): boolean {
  const words = text.replace(SECTION_NUMBER, '');
  const letters = words.match(/[\p{L}\p{M}]/gu)?.length ?? 0;
  const isWord = /\p{L}[\p{L}\p{M}]/u.test(words);
  if (AMOUNT.test(text)) return false;
  const fewest = words.length < text.length ? MIN_LETTERS / 2 : MIN_LETTERS;
  if (!isWord || letters < fewest * words.replace(/\s/g, '').length) return false;
  if (
    LEADERS.test(text) ||
    / … (?:\p{N}+|[ivxlc]+)$/iu.test(text) ||
    /_{3,}/.test(text) ||
    /^(?:https?:|www\.)\S*$|^\S+@\S+$/i.test(text)
  )
    return false;
  return text.length <= MAX_SENTENCE_LENGTH || !/[.。।۔]["”’»)]?$/u.test(text);
}

/** Bold or in capitals. */
const isStrong = ({ text, bold }: Paragraph): boolean =>
  /\p{L}/u.test(text) &&
  (bold || ((text.match(/\p{Lu}/gu)?.length ?? 0) >= MIN_CAPITALS && text === text.toUpperCase()));

/** To a tenth of a point. */
const round = (size: number): number => Math.round(size * 10) / 10;

/** The median size over the characters. */
function medianSize(pages: readonly Piece[][]): number {
  const lengths = new Map<number, number>();
  let total = 0;
  for (const page of pages) {
    for (const { size, text } of page) {
      lengths.set(round(size), (lengths.get(round(size)) ?? 0) + text.length);
      total += text.length;
    }
  }
  let passed = 0;
  for (const [size, length] of [...lengths].toSorted(([a], [b]) => a - b)) {
    passed += length;
    if (passed * 2 >= total) return size;
  }
  return 0;
}

/** The rotation of most of the text of each page; other texts are stamps and labels. */
function usualTurns(pages: readonly Piece[][]): Map<number, number> {
  const turns = new Map<number, number>();
  for (const page of pages) {
    const lengths = [0, 0, 0, 0];
    for (const { turn, text } of page) lengths[turn] = (lengths[turn] ?? 0) + text.length;
    if (page[0]) turns.set(page[0].page, lengths.indexOf(Math.max(...lengths)));
  }
  return turns;
}

const textLength = (paragraphs: readonly Paragraph[]): number =>
  paragraphs.reduce((sum, { text }) => sum + text.length, 0);
