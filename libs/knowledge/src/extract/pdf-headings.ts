import type { Paragraph } from './pdf-paragraphs.js';

/** Larger than the text around by so much, it is a title. */
const LARGER = 1.12;
/** Sizes that differ by less are the same level. In points. */
const SAME_LEVEL = 0.6;
const LONGEST = 200;
const LONGEST_STRONG = 120;
const MOST_LINES = 3;
const LOWEST_LEVEL = 6;
/** Of the text: where more of it is bold or in capitals, that says nothing. */
const MOST_STRONG = 0.3;
/** Letters: fewer are an abbreviation. */
const FEWEST_CAPITALS = 8;

/** Which paragraphs of a document are headings, and of which level, from the sizes of its letters. */
export class HeadingLevels {
  private readonly body: number;
  private readonly sizes: number[] = [];
  private readonly strongCounts: boolean;

  constructor(paragraphs: readonly Paragraph[]) {
    this.body = commonSize(paragraphs);
    const strong = lengthOf(paragraphs.filter(isStrong));
    this.strongCounts = strong < lengthOf(paragraphs) * MOST_STRONG;
    const larger = paragraphs.filter((paragraph) => this.isLarger(paragraph)).map(({ size }) => size);
    for (const size of larger.toSorted((a, b) => b - a)) {
      const last = this.sizes.at(-1);
      if (last === undefined || last - size > SAME_LEVEL) this.sizes.push(size);
    }
  }

  /** 1 to 6; undefined for what is no heading. */
  of(paragraph: Paragraph): number | undefined {
    if (this.isLarger(paragraph)) {
      const level = this.sizes.findIndex((size) => size - paragraph.size <= SAME_LEVEL) + 1;
      return Math.min(level, LOWEST_LEVEL);
    }
    return this.isStrongTitle(paragraph) ? Math.min(this.sizes.length + 1, LOWEST_LEVEL) : undefined;
  }

  private isLarger({ text, size, lines }: Paragraph): boolean {
    return size >= this.body * LARGER && text.length <= LONGEST && lines <= MOST_LINES && hasLetters(text);
  }

  private isStrongTitle(paragraph: Paragraph): boolean {
    const { text, size, lines, item } = paragraph;
    const short = text.length <= LONGEST_STRONG && lines < MOST_LINES && size >= this.body * 0.95;
    return (
      this.strongCounts &&
      short &&
      isStrong(paragraph) &&
      !/[.,;:!。，；：]$/u.test(text) &&
      !(item && text.startsWith('-'))
    );
  }
}

/** Bold or in capitals. */
const isStrong = ({ text, bold }: Paragraph): boolean =>
  hasLetters(text) &&
  (bold || ((text.match(/\p{Lu}/gu)?.length ?? 0) >= FEWEST_CAPITALS && text === text.toUpperCase()));

/** The size of most of the text, to half a point. */
function commonSize(paragraphs: readonly Paragraph[]): number {
  const lengths = new Map<number, number>();
  for (const { size, text } of paragraphs) {
    const rounded = Math.round(size * 2) / 2;
    lengths.set(rounded, (lengths.get(rounded) ?? 0) + text.length);
  }
  return [...lengths].reduce((most, entry) => (entry[1] > most[1] ? entry : most), [0, 0])[0];
}

const lengthOf = (paragraphs: readonly Paragraph[]): number =>
  paragraphs.reduce((sum, { text }) => sum + text.length, 0);

const hasLetters = (text: string): boolean => /\p{L}/u.test(text);
