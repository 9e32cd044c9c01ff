export { type Delimiter, delimiterOf } from './csv-delimiter.js';
export { byteOrderMark, type DecodedText, decodeText, utf16Of } from './decode-text.js';
export { charsetOfFile } from './file-charset.js';
