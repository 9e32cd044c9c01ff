import { describe, expect, it } from '@jest/globals';
import { gridOf, headerRows, joinHeader, type TableCell } from './table-shape.js';

const cellsOf = (row: string): TableCell[] =>
  row.split('|').map((cell) => {
    const [text = '', columns, rows] = cell.split('~');
    return { text, columns: Number(columns ?? 1), rows: Number(rows ?? 1) };
  });

/** `text~columns~rows|text`: a row of cells. */
const shown = (...rows: string[]): string[] => gridOf(rows.map(cellsOf)).map((cells) => cells.join('|'));

describe('a table with merged cells', () => {
  it.each<[string, string[], string[]]>([
    ['a cell over two rows', ['Mon~1~2|8', '9', 'Tue|8'], ['Mon|8', 'Mon|9', 'Tue|8']],
    ['a cell over two columns', ['Ann|open~2', 'Bob|8|9'], ['Ann|open|open', 'Bob|8|9']],
    ['a cell over two rows and columns', ['a~2~2|1', '2', 'b|c|3'], ['a|a|1', 'a|a|2', 'b|c|3']],
    ['a cell in the middle over two rows', ['a|x~1~2|1', 'b|2'], ['a|x|1', 'b|x|2']],
    ['a cell at the end over two rows', ['a|x~1~2', 'b', 'c|d'], ['a|x', 'b|x', 'c|d']],
    ['a title of a section as wide as the table', ['Drinks~3', 'Tea|3|4'], ['Drinks||', 'Tea|3|4']],
    ['a row that ends early', ['a|b~1~3|c', 'd', 'e|f'], ['a|b|c', 'd|b', 'e|b|f']],
  ])('repeats the text of %s', (_, rows, expected) => expect(shown(...rows)).toEqual(expected));

  it('does not repeat a long text', () => {
    const [first, second] = gridOf([[{ text: 'x'.repeat(501), rows: 2 }, { text: '1' }], [{ text: '2' }]]);
    expect([first?.[0]?.length, second]).toEqual([501, ['', '2']]);
  });
});

describe('the header of a table in a text', () => {
  const split = (row: string): string[] => row.split('|');

  it.each<[string, string[], number]>([
    ['names above numbers', ['Room|Price', 'Single|80', 'Double|120'], 1],
    ['names above texts', ['Name|City', 'Ann|Bern', 'Bob|Rome'], 1],
    ['abbreviated names', ['Article no.|Qty.', 'AB-1|two'], 1],
    ['opening hours without a header', ['Mon–Fri|9–17', 'Sat|10–14'], 0],
    ['prices without a header', ['Single|80 €', 'Double|120 €'], 0],
    ['sentences', ['Where are you?|We are in the old town.', 'When?|We open at nine.'], 0],
    ['e-mail addresses', ['Ann|ann@example.com', 'Bob|bob@example.com'], 0],
    ['merged groups above names', ['Room|Price|Price', 'Name|Net|Gross', 'Single|80|90'], 2],
    ['units below names', ['Model|Weight|Length', '|kg|mm', 'A|3|120'], 2],
    ['a single row', ['Room|Price'], 0],
    ['years', ['Region|2024|2025|2026', 'North|1|2|3', 'South|9|8|7', 'West|5|5|5'], 1],
  ])('is found: %s', (_, rows, expected) => expect(headerRows(rows.map(split))).toBe(expected));

  it('joins its lines without repeating a name', () => {
    expect(
      joinHeader([
        ['Room', 'Price', 'Price'],
        ['Room', 'Net', ''],
      ]),
    ).toEqual(['Room', 'Price Net', 'Price']);
  });
});
