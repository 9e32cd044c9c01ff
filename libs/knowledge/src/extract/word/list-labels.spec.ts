import { describe, expect, it } from '@jest/globals';
import { type ListLevel, ListLabels, type WordList } from './list-labels.js';
import { formatNumber } from './number-formats.js';

const outline = (count: number, more: Partial<ListLevel> = {}): ListLevel[] =>
  Array.from({ length: count }, (_, index) => ({
    start: 1,
    format: 'decimal',
    label: Array.from({ length: index + 1 }, (_unused, level) => (level === 0 ? [0] : ['.', level])).flat(),
    restartBelow: index,
    isLegal: false,
    ...more,
  }));
const listOf = (levels: ListLevel[], restarts: [number, number][] = [], key = 'a'): WordList => ({
  key,
  levels,
  restarts: new Map(restarts),
});
const labelsOf = (steps: [WordList, number][]): string => {
  const labels = new ListLabels();
  return steps.map(([list, level]) => labels.next(list, level)).join(' ');
};
const inOne = (list: WordList, ...levels: number[]): string => labelsOf(levels.map((level) => [list, level]));

describe('the labels of the paragraphs of a Word list', () => {
  it('count each level below its upper level', () => {
    expect(inOne(listOf(outline(3)), 0, 1, 1, 2, 1, 0, 1)).toBe('1 1.1 1.2 1.2.1 1.3 2 2.1');
  });

  it('count a level that is left out as one paragraph', () => {
    expect(inOne(listOf(outline(3)), 1, 1, 0, 2, 1)).toBe('1.1 1.2 2 2.1.1 2.2');
  });

  it('begin with the number of the level', () => {
    expect(inOne(listOf(outline(2, { start: 4 })), 0, 1, 0)).toBe('4 4.4 5');
  });

  it('continue in another list with the same definition', () => {
    const [first, second] = [listOf(outline(1)), listOf(outline(1))];
    expect(labelsOf([first, second, first].map((list) => [list, 0]))).toBe('1 2 3');
    expect(labelsOf([first, listOf(outline(1), [], 'b'), first].map((list) => [list, 0]))).toBe('1 1 2');
  });

  it('restart once in a list that overrides the start', () => {
    const [first, second] = [listOf(outline(2)), listOf(outline(2), [[0, 5]])];
    const steps: [WordList, number][] = [
      [first, 0],
      [second, 0],
      [second, 1],
      [second, 0],
      [first, 0],
    ];
    expect(labelsOf(steps)).toBe('1 5 5.1 6 7');
  });

  it.each<[string, number, string]>([
    ['never', 0, '1 1.1 1.1.1 1.2 1.2.2 2 2.1 2.1.3'],
    ['below the first level only', 1, '1 1.1 1.1.1 1.2 1.2.2 2 2.1 2.1.1'],
    ['below the second level', 2, '1 1.1 1.1.1 1.2 1.2.1 2 2.1 2.1.1'],
  ])('restart the third level %s', (_, restartBelow, expected) => {
    const [first, second, third] = outline(3) as [ListLevel, ListLevel, ListLevel];
    expect(inOne(listOf([first, second, { ...third, restartBelow }]), 0, 1, 2, 1, 2, 0, 1, 2)).toBe(expected);
  });

  it('use the format of each level, or decimal numbers in legal style', () => {
    const [first, second] = outline(2) as [ListLevel, ListLevel];
    const roman = { ...first, format: 'upperRoman', label: ['Article ', 0] };
    expect(inOne(listOf([roman, { ...second, format: 'lowerLetter' }]), 0, 1, 1)).toBe('Article I I.a I.b');
    expect(inOne(listOf([roman, { ...second, isLegal: true }]), 0, 1)).toBe('Article I 1.1');
  });

  it('are empty for a level that the list does not define', () => expect(inOne(listOf([]), 3)).toBe(''));
});

describe('number formats', () => {
  it.each([
    ['decimal', '1 4 9 12 27 40'],
    ['decimalZero', '01 04 09 12 27 40'],
    ['decimalZero3', '001 004 009 012 027 040'],
    ['lowerRoman', 'i iv ix xii xxvii xl'],
    ['upperRoman', 'I IV IX XII XXVII XL'],
    ['lowerLetter', 'a d i l aa nn'],
    ['upperLetter', 'A D I L AA NN'],
    ['ordinal', '1st 4th 9th 12th 27th 40th'],
    ['cardinalText', 'One Four Nine Twelve Twenty-seven Forty'],
    ['ordinalText', 'First Fourth Ninth Twelfth Twenty-seventh Fortieth'],
    ['hex', '1 4 9 C 1B 28'],
    ['numberInDash', '- 1 - - 4 - - 9 - - 12 - - 27 - - 40 -'],
    ['chicago', '* § *** §§§ ‡‡‡‡‡‡‡ §§§§§§§§§§'],
    ['decimalEnclosedCircle', '① ④ ⑨ ⑫ 27 40'],
    ['decimalFullWidth', '１ ４ ９ １２ ２７ ４０'],
    ['chineseCounting', '一 四 九 十二 二十七 四十'],
    ['chineseLegalSimplified', '壹 肆 玖 壹拾贰 贰拾柒 肆拾'],
    ['ideographDigital', '一 四 九 一二 二七 四〇'],
    ['ideographTraditional', '甲 丁 壬 12 27 40'],
    ['koreanCounting', '일 사 구 십이 이십칠 사십'],
    ['russianLower', 'а г и м э лл'],
    ['hebrew1', 'א ד ט יב כז מ'],
    ['thaiNumbers', '๑ ๔ ๙ ๑๒ ๒๗ ๔๐'],
    ['none', '     '],
    ['unknown', '1 4 9 12 27 40'],
  ])('%s', (format, expected) => {
    const written = [1, 4, 9, 12, 27, 40].map((value) => formatNumber(value, format)).join(' ');
    expect(written).toBe(expected);
  });

  it.each([
    ['chineseCountingThousand', 105, '一百零五'],
    ['chineseCountingThousand', 110, '一百一十'],
    ['chineseCountingThousand', 2_008, '二千零八'],
    ['japaneseCounting', 1_115, '千百十五'],
    ['koreanCounting', 111, '백십일'],
    ['hebrew1', 115, 'קטו'],
    ['ordinal', 101, '101st'],
    ['ordinal', 112, '112th'],
    ['ordinalText', 120, 'One hundred twentieth'],
    ['ordinalText', 21, 'Twenty-first'],
    ['lowerLetter', 0, '0'],
    ['upperRoman', -1, '-1'],
    ['upperRoman', 2_147_483_647, '2147483647'],
    ['lowerLetter', 2_147_483_647, '2147483647'],
    ['toString', 3, '3'],
  ])('%s of %i is %s', (format, value, expected) => expect(formatNumber(value, format)).toBe(expected));
});
