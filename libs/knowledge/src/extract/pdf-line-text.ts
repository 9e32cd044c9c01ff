import { LINE_END_HYPHEN } from './pdf-glyphs.js';

const HYPHEN = String.fromCharCode(LINE_END_HYPHEN);
const BULLET = /^[•◦▪‣●○■□∙·*–—-](?:\s+|$|(?<=[•◦▪‣●○■□])(?=\S))/u;
const NUMBER = /^(?:\(?\d{1,3}[.)]|\(?[a-z][.)])(?:\s|$)/i;
const SENTENCE_END = /[.!?:;…。！？：；।॥؟۔]["'”’»)\]]*$/u;
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303f\uff00-\uffef]/u;

/** What may also stand in a sentence where a line happens to begin. */
export const startsWithDash = (line: string): boolean => /^[*–—-]/u.test(line);

export const startsWithBullet = (line: string): boolean => BULLET.test(line);

export const startsWithNumber = (line: string): boolean => NUMBER.test(line);

/** Nothing but the bullet or the number of a list item. */
export const isMarker = (text: string): boolean => text.replace(BULLET, '').replace(NUMBER, '') === '';

export const endsSentence = (line: string): boolean => SENTENCE_END.test(line);

/** Parts a word, which goes on in the next line. */
export const endsInHyphen = (line: string): boolean => line.endsWith(HYPHEN);

/** A text and its next line; words that were parted at the line's end become one again. */
export function joinedText(text: string, next: string): string {
  if (text === '' || next === '') return text + next;
  if (endsInHyphen(text)) return text.slice(0, -1) + next;
  // Lines end after dashes and slashes that stand between words without a space.
  if (/[\p{L}\p{N}][-–—/]$/u.test(text)) return text + next;
  if (/^[,.;:!?)\]}،؛؟।。，、！？）」]/u.test(next)) return text + next;
  const unspaced = UNSPACED.test(text.at(-1) ?? '') && startsUnspaced(next);
  return unspaced ? text + next : `${text} ${next}`;
}

/** Begins with a script that puts no spaces between words. */
export const startsUnspaced = (line: string): boolean => UNSPACED.test(line[0] ?? '');

/** As it is read: list items with "- ", and hyphens that PDFium marks within a line. */
export const readable = (text: string): string => text.replaceAll(HYPHEN, '-').replace(BULLET, '- ');
