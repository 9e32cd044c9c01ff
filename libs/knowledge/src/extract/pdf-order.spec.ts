import { describe, expect, it } from '@jest/globals';
import { fromTheLeft } from './pdf-order.js';
import { type Glyph, type Piece, PieceWriter } from './pdf-piece.js';

const SIZE = 10;
const WIDTH = 5;

const piece = (text: string, left: number, right: number, baseline = 100): Piece => ({
  text,
  left,
  right,
  baseline,
  page: 1,
  size: SIZE,
  bold: false,
  turn: 0,
});

const seen = (pieces: Piece[]): string[] => fromTheLeft([pieces])[0]!.map(({ text }) => text);

/** A word as returned by PDFium, with the position of each letter from the left. */
function written(letters: [letter: string, place: number][]): string | undefined {
  const writer = new PieceWriter(1, true);
  for (const [letter, place] of letters) {
    const [left, right] = [place * WIDTH, (place + 1) * WIDTH];
    const glyph: Glyph = { code: letter.codePointAt(0)!, left, right, baseline: 100, size: SIZE, bold: false, turn: 0 };
    writer.add(glyph);
  }
  return writer.end()[0]?.text;
}

describe('right-to-left pages of a PDF', () => {
  it('are read with the parts of each line in order and joined words', () => {
    expect(seen([piece('في الوقت', 100, 250), piece('نقطة', 255, 300), piece('لم', 320, 340)])).toEqual([
      'لم',
      'نقطة',
      'في الوقت',
    ]);
    expect(seen([piece('اً', 180, 200), piece('لاحق', 200, 240)])).toEqual(['لاحقاً']);
  });

  it('are mirrored, so that lines begin at the left', () => {
    const [first, second] = fromTheLeft([[piece('العمود الأول', 300, 500), piece('العمود الثاني', 50, 250, 120)]])[0]!;
    expect([first!.left, first!.right, second!.left, second!.right]).toEqual([0, 200, 250, 450]);
  });

  it.each([
    ['في سن .39', 'في سن 39.'],
    ['الفاصلة 23–،16 بعد', 'الفاصلة 23–16، بعد'],
    ['العرقلات )118( وأجبر', 'العرقلات (118) وأجبر'],
    ['نسبة (أولى) ٪56,2', 'نسبة (أولى) 56,2٪'],
    ['رقم 12.5 و 7', 'رقم 12.5 و 7'],
  ])('are read with signs and brackets in order: %s', (drawn, text) =>
    expect(seen([piece(drawn, 0, 100)])).toEqual([text]),
  );

  it('are not confused with left-to-right pages', () => {
    const pieces = [piece('right )1( .5', 100, 150), piece('left', 0, 50)];
    expect(fromTheLeft([pieces])).toEqual([pieces]);
  });
});

describe('letters of a PDF that share a glyph', () => {
  it('are read in logical order', () => {
    expect(
      written([
        ['ا', 4],
        ['أ', 2],
        ['ل', 3],
        ['م', 1],
      ]),
    ).toBe('الأم');
    expect(
      written([
        ['ق', 3],
        ['ً', 2],
        ['ا', 1],
      ]),
    ).toBe('قاً');
    expect(
      written([
        ['ا', 3],
        ['ل', 2],
        ['م', 1],
      ]),
    ).toBe('الم');
  });
});
