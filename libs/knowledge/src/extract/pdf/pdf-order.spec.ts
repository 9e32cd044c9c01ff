import { describe, expect, it } from '@jest/globals';
import { fromTheLeft } from './pdf-order.js';
import type { Piece } from './pdf-piece.js';

const SIZE = 10;

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

  it('are not confused with left-to-right pages', () => {
    const pieces = [piece('right )1( .5', 100, 150), piece('left', 0, 50)];
    expect(fromTheLeft([pieces])).toEqual([pieces]);
  });
});
