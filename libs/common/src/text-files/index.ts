export { type Delimiter, delimiterOf } from './csv-delimiter.js';
export { cellText, csvLine } from './csv-line.js';
export { byteOrderMark, type DecodedText, decodeText, utf16Of } from './decode-text.js';
export { inPieces } from './in-pieces.js';
export { charsetOfTableFile } from './table-charset.js';
