import { isUtf8 } from 'node:buffer';
import { createRequire } from 'node:module';

export interface DecodedText {
  text: string;
  /** IANA name in lower case. */
  charset: string;
}

/** A larger sample does not change the result of jschardet and costs 1 s per 10 MB. */
const SAMPLE_BYTES = 64 * 1024;
/**
 * Tolerated share of invalid bytes: a text cut inside a character is still UTF-8, while legacy texts are invalid at
 * every letter.
 */
const TOLERATED = 0.02;

const BYTE_ORDER_MARKS: [charset: string, mark: number[]][] = [
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-32le', [0xff, 0xfe, 0, 0]],
  ['utf-32be', [0, 0, 0xfe, 0xff]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
];

/**
 * Decodes bytes of unknown encoding: by byte order mark, UTF-16 by its zero bytes, evident UTF-8, the declaration of a header or
 * of the text itself, UTF-8, and finally by letter statistics. Correct for 96/97/99 % of legacy texts of 200 B/1 KB/8 KB.
 */
export function decodeText(bytes: Uint8Array, declared: readonly (string | undefined)[] = []): DecodedText {
  const charset = charsetOf(bytes, declared);
  if (charset === 'utf-8') return { text: new TextDecoder().decode(bytes), charset };
  // Node 20's TextDecoder('windows-1252') decodes as Latin-1: no curly quotes, no euro sign.
  return { text: iconv().decode(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), charset), charset };
}

const require = createRequire(import.meta.url);
/** Loaded on demand, because most texts are UTF-8: loading takes 14 ms in each parser process. */
const iconv = () => require('iconv-lite') as typeof import('iconv-lite');

function charsetOf(bytes: Uint8Array, declared: readonly (string | undefined)[]): string {
  const marked = byteOrderMark(bytes);
  if (marked) return marked;
  const wide = utf16Of(bytes);
  if (wide) return wide;
  if (isEvidentlyUtf8(bytes, declared)) return 'utf-8';
  const stated = declared.map((label) => usable(label, bytes)).find((charset) => charset !== undefined);
  if (stated) return stated;
  return isUtf8(bytes) || isNearlyUtf8(bytes) ? 'utf-8' : guess(bytes);
}

/** Sequences of three or four bytes, or this many of two, are not a coincidence in a text of an East Asian encoding. */
const TWO_BYTE_SEQUENCES = 4;

/**
 * Valid UTF-8 with characters outside ASCII wins over a declaration: headers of old servers and copied templates are wrong. Bytes
 * of a one-byte encoding are practically never valid UTF-8; a few characters of an East Asian encoding may be.
 */
function isEvidentlyUtf8(bytes: Uint8Array, declared: readonly (string | undefined)[]): boolean {
  const first = bytes.findIndex((byte) => byte > 0x7f);
  if (first < 0 || !isUtf8(bytes)) return false;
  if (!declared.some((label) => EAST_ASIAN.test(canonical(label?.trim().toLowerCase() ?? '')))) return true;
  const sample = bytes.subarray(first, first + SAMPLE_BYTES);
  let pairs = 0;
  for (const byte of sample) {
    if (byte >= 0xe0) return true;
    if (byte >= 0xc0) pairs++;
  }
  return pairs >= TWO_BYTE_SEQUENCES;
}

const EAST_ASIAN = /^(?:gb18030|gbk|cp9\d\d|big5.*|euc-?\w+|shift_jis|iso-2022-\w+)$/;

export function byteOrderMark(bytes: Uint8Array): string | undefined {
  return BYTE_ORDER_MARKS.find(([, mark]) => mark.every((byte, index) => bytes[index] === byte))?.[0];
}

/** Ignores declarations that contradict the bytes, as in copied templates: UTF-16 without zero bytes, invalid UTF-8. */
function usable(label: string | undefined, bytes: Uint8Array): string | undefined {
  const charset = canonical(label?.trim().toLowerCase() ?? '');
  if (charset === 'utf-8') return isUtf8(bytes) || isNearlyUtf8(bytes) ? charset : undefined;
  if (charset === '' || /^(?:utf-?16|utf-?32|ucs|binary|base64|hex)/.test(charset)) return undefined;
  return iconv().encodingExists(charset) ? charset : undefined;
}

/** Maps labels as the WHATWG does: ASCII and Latin-1 mean windows-1252. */
function canonical(label: string): string {
  if (/^(?:utf-?8|unicode-1-1-utf-8)$/.test(label)) return 'utf-8';
  if (/^(?:us-)?ascii$|^iso-?8859-?1$|^latin-?1$/.test(label)) return 'windows-1252';
  if (/^(?:gb2312|gbk|x-gbk)$/.test(label)) return 'gb18030';
  if (/^(?:ks_c_5601.*|euc-kr)$/.test(label)) return 'cp949';
  if (/^x-mac-/.test(label)) return label.replace('x-mac-', 'mac');
  if (/^(?:x-sjis|shift[_-]jis|sjis)$/.test(label)) return 'shift_jis';
  return label;
}

function isNearlyUtf8(bytes: Uint8Array): boolean {
  const sample = bytes.subarray(0, SAMPLE_BYTES);
  const text = new TextDecoder().decode(sample);
  const wrong = text.match(/\ufffd/g)?.length ?? 0;
  const right = text.match(/[^\p{ASCII}\ufffd]/gu)?.length ?? 0;
  return wrong <= Math.max(right * TOLERATED, right > 3 ? 1 : 0);
}

/** The encoding of a table by its bytes from the first one that is not ASCII. */
export const charsetOfTable = (bytes: Uint8Array): string =>
  isNearlyUtf8(bytes) ? 'utf-8' : guess(bytes.subarray(0, TABLE_BYTES), OF_SPREADSHEETS);

/** Names and streets contain few letters for statistics; spreadsheets save in a few encodings only. */
const OF_SPREADSHEETS = /^(?:windows-125\d|cp932|shift_jis|gb18030|big5|cp949)$/;
const TABLE_BYTES = 16 * 1024;

function guess(bytes: Uint8Array, among = /./): string {
  const sample = Buffer.from(lettersFirst(bytes));
  // Loaded here, because few texts need it: loading took 40 to 150 ms in each parser process.
  const { detectAll } = require('jschardet') as typeof import('jschardet');
  const found = detectAll(sample).map(({ encoding }) => canonical(encoding?.toLowerCase() ?? ''));
  return found.find((charset) => among.test(charset) && iconv().encodingExists(charset)) ?? 'windows-1252';
}

/** The sample starts near the first byte that is not ASCII: a long English preface contains no information. */
function lettersFirst(bytes: Uint8Array): Uint8Array {
  const first = bytes.findIndex((byte) => byte > 0x7f);
  const start = Math.max(0, first - 512);
  return bytes.subarray(start, start + SAMPLE_BYTES);
}

/** Tolerated share of zero bytes on the wrong side of UTF-16 units; letters like Ā (U+0100) have them there. */
const WRONG_SIDE = 0.1;

/** Detects UTF-16 without a byte order mark: zero bytes on one side of the pairs, and readable text when decoded. */
export function utf16Of(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  const sample = bytes.subarray(0, Math.min(SAMPLE_BYTES, bytes.length & ~1));
  const zeros = [0, 0];
  for (let at = 0; at < sample.length; at++) if (sample[at] === 0) zeros[at & 1]!++;
  const [even = 0, odd = 0] = zeros;
  if (even + odd === 0) return undefined;
  // A text with one byte per character and a stray zero byte would be decoded as Chinese.
  if (even + odd < sample.length * 0.4 && isMostlyAscii(sample)) return undefined;
  const charset = odd > even ? 'utf-16le' : 'utf-16be';
  if (Math.min(even, odd) > Math.max(even, odd) * WRONG_SIDE) return undefined;
  return isReadable(new TextDecoder(charset).decode(sample)) ? charset : undefined;
}

/** In UTF-16, every second byte is zero in English and the number of the alphabet elsewhere: 4 in Russian, 14 in Thai. */
function isMostlyAscii(bytes: Uint8Array): boolean {
  const isAscii = (byte: number): boolean => (byte >= 0x20 && byte < 0x7f) || byte === 0x0a || byte === 0x0d;
  return bytes.reduce((count, byte) => count + (isAscii(byte) ? 1 : 0), 0) > bytes.length * 0.8;
}

/** Binary files contain zero bytes too, but also characters that never occur in texts. */
function isReadable(text: string): boolean {
  const strange = text.match(/[^\P{Cc}\t-\r]|[\p{Co}\p{Cn}\ufffd]/gu)?.length ?? 0;
  return strange <= text.length * 0.01;
}
