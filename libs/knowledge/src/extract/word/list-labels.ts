import { cleanLine } from '../block-writer.js';
import { formatNumber } from './number-formats.js';

/** A level of a Word list. */
export interface ListLevel {
  /** Its first number. */
  start: number;
  /** Name of the number format in OOXML. */
  format: string;
  /** Text, and the index of a level for the number of that level: "Section %1.%2" is `['Section ', 0, '.', 1]`. */
  label: (string | number)[];
  /** Paragraphs of levels below this index restart the level; 0: it is never restarted. */
  restartBelow: number;
  /** Legal style: the numbers of all levels are decimal. */
  isLegal: boolean;
}

/** A list as a paragraph refers to it. */
export interface WordList {
  /** Lists with the same key continue each other's numbers. */
  key: string;
  levels: (ListLevel | undefined)[];
  /** The numbers with which the list restarts levels, by their index, at its first paragraph. */
  restarts: Map<number, number>;
}

/** The label of a bullet; its sign depends on a symbol font. */
export const BULLET = '-';

/** Word has nine levels. */
export const LEVELS = 9;

/**
 * Counts the paragraphs of the lists of a document, in order. A level that is left out counts as one paragraph, as in Word: after
 * "1.1.1" without a paragraph "1.1", the next paragraph of the second level is "1.2".
 */
export class ListLabels {
  private readonly counters = new Map<string, (number | undefined)[]>();
  private readonly begun = new Set<WordList>();

  /** The label of the next paragraph: "4.2", "a)", BULLET, or '' if it shows none. */
  next(list: WordList, index: number): string {
    const level = list.levels[index];
    if (!level) return '';
    const numbers = this.numbersOf(list);
    for (let upper = 0; upper < index; upper++) numbers[upper] ??= startOf(list, upper);
    const last = numbers[index];
    numbers[index] = last === undefined ? startOf(list, index) : last + 1;
    for (let lower = index + 1; lower < LEVELS; lower++) {
      if (index < (list.levels[lower]?.restartBelow ?? lower)) numbers[lower] = undefined;
    }
    const label = labelOf(level, list, numbers);
    // Pandoc gives the further paragraphs of an item a blank bullet.
    return level.format === 'bullet' && label !== '' ? BULLET : label;
  }

  private numbersOf(list: WordList): (number | undefined)[] {
    const numbers = this.counters.get(list.key) ?? [];
    this.counters.set(list.key, numbers);
    if (this.begun.has(list)) return numbers;
    this.begun.add(list);
    for (const restarted of list.restarts.keys()) numbers[restarted] = undefined;
    return numbers;
  }
}

const startOf = (list: WordList, index: number): number => list.restarts.get(index) ?? list.levels[index]?.start ?? 1;

function labelOf({ label, isLegal }: ListLevel, { levels }: WordList, numbers: (number | undefined)[]): string {
  const parts = label.map((part) => {
    const number = typeof part === 'number' ? numbers[part] : undefined;
    if (typeof part === 'string') return part;
    if (number === undefined) return '';
    const format = levels[part]?.format ?? 'decimal';
    return formatNumber(number, isLegal && !format.startsWith('decimalZero') ? 'decimal' : format);
  });
  return cleanLine(parts.join(''));
}
