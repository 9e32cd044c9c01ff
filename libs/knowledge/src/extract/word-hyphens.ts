import { CompoundFile } from './compound-file.js';
import { isDamage, tableOf, textPieces, type TextPiece } from './word-styles.js';

/** The hyphens of Word and what replaces them, the same in Windows-1252 and in Unicode: U+002D and U+00AD. */
const REPLACEMENTS = new Map([
  [0x1e, 0x2d],
  [0x1f, 0xad],
]);

/**
 * A Word 97-2003 document whose special hyphens are characters of Unicode. Word stores a non-breaking hyphen as 0x1E and an optional one as 0x1F;
 * word-extractor drops the first and writes the second as the word "undefined". A file without readable tables comes back as it is, and the
 * readers after this one give the error.
 */
export function withUnicodeHyphens(bytes: Buffer): Buffer {
  try {
    const copy = Buffer.from(bytes);
    const file = new CompoundFile(copy);
    const entry = file.find('WordDocument');
    if (!entry) return bytes;
    const document = file.head(entry, entry.size);
    const table = tableOf(file, document);
    if (!table) return bytes;
    replaceHyphens(document, textPieces(document, file.head(table, table.size)));
    file.overwrite(entry, document);
    return copy;
  } catch (error) {
    if (isDamage(error)) return bytes;
    throw error;
  }
}

/** Looks at no more bytes than the stream has: a hostile file may name the same text in many pieces. */
function replaceHyphens(document: Buffer, pieces: TextPiece[]): void {
  let left = document.length;
  for (const { start, end, isWide } of pieces) {
    const step = isWide ? 2 : 1;
    for (let at = start; at + step <= Math.min(end, document.length) && left > 0; at += step, left -= step) {
      const replacement = REPLACEMENTS.get(isWide ? document.readUInt16LE(at) : document.readUInt8(at));
      if (replacement !== undefined) document[at] = replacement;
    }
  }
}
