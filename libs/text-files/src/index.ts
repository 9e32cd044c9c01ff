export { type Delimiter, delimiterOf } from './csv-delimiter.js';
export { byteOrderMark, type DecodedText, decodeText, utf16Of } from './decode-text.js';
export { charsetOfTableFile } from './table-charset.js';
