import { describe, expect, it } from '@jest/globals';
import { outline, readPdf } from '../../../test/read-pdf.js';
import { inReadingOrder, withBrackets } from './pdf-right-to-left.js';

/** A text as drawn, from left to right, on a page from right to left. */
const read = (drawn: string): string => withBrackets(inReadingOrder(Array.from(drawn).toReversed(), true));

/** The page of a font; the glyphs are drawn from left to right. */
const readGlyphs = async (...lines: string[][]): Promise<string[]> => {
  const filler = Array.from('טסקט לש הרוש'.repeat(3));
  const pages = [[...lines, filler].map((glyphs, at) => ({ x: 72, y: 100 + at * 60, glyphs }))];
  return outline((await readPdf(pages)).blocks).slice(0, lines.length);
};

describe('a line from right to left', () => {
  it.each([
    ['numbers', 'םימי 14 ךות', 'תוך 14 ימים'],
    ['decimal numbers and thousands', 'לקש 1,049.90 קר', 'רק 1,049.90 שקל'],
    ['a range of hours', '17:30-ל 9:00 ןיב', 'בין 9:00 ל-17:30'],
    ['a Hebrew phone number', '03-1234567 ןופלט', 'טלפון 03-1234567'],
    ['an Arabic phone number', '1234567-03 فتاه', 'هاتف 03-1234567'],
    ['percentages in Hebrew', '20% החנה', 'הנחה 20%'],
    ['percentages in Arabic', '%20 مصخ', 'خصم 20%'],
    ['Arabic digits', '٢٠٢٤ ماع', 'عام ٢٠٢٤'],
    ['Latin words', 'תינכות Premium Plan לש', 'של Premium Plan תוכנית'],
    ['an address', 'support@example.com ליימ', 'מייל support@example.com'],
    ['a version', 'הסרג Windows 11 לש', 'של Windows 11 גרסה'],
    ['a unit', 'GB 5 ללוכ', 'כולל 5 GB'],
    ['a unit without a space', 'השילג 5GB-ו', 'ו-5GB גלישה'],
    ['brackets as drawn', 'רבדו )118( קוח', 'חוק (118) ודבר'],
    ['brackets around Latin', 'רבד (Premium Plan) לולכ', 'כלול (Premium Plan) דבר'],
    ['quotation marks', '«אב» םויה', 'היום «בא»'],
    ['a full stop', '.םויה ואוב', 'בואו היום.'],
  ])('is read in order with %s', (_, drawn, text) => expect(read(drawn)).toBe(text));

  it('keeps a right-to-left word inside a Latin line in order', () => {
    expect(inReadingOrder(Array.from('The word םולש means peace').toReversed(), false)).toBe(
      'The word שלום means peace',
    );
  });
});

describe('ligatures of a right-to-left font', () => {
  it('are read in logical order, however the font names them', async () => {
    const word = (...ligature: string[]): string[] => ['م', ...ligature, 'س'];
    expect(await readGlyphs(word('\ufefc'), word('لا'), word('ال'), ['ﻡ', 'ﻼ', 'ﺳ'])).toEqual([
      'سلام',
      'سلام',
      'سلام',
      'سلام',
    ]);
  });

  it.each([
    ['lam with alef and hamza', ['م', '\ufef7', 'ا'], 'الأم'],
    ['alef with tanwin', ['\ufd3c', 'ق'], 'قاً'],
    ['listed alef with tanwin', ['اً', 'ق'], 'قاً'],
    ['the word Allah', ['\ufdf2', ' ', 'و'], 'و الله'],
    ['a mark with a width', ['س', 'َ', 'م'], 'مَس'],
    ['Hebrew presentation forms', ['\ufb4a', '\ufb2e'], 'אַתּ'],
  ])('include %s', async (_, glyphs, text) =>
    expect((await readGlyphs(glyphs)).map((line) => line.normalize('NFC'))).toEqual([text.normalize('NFC')]),
  );
});
