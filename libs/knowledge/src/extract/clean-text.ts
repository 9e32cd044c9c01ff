/**
 * What no reader sees and no search may stumble over: control characters (PostgreSQL refuses NUL), soft hyphens, zero-width
 * spaces, byte order marks, marks of direction, noncharacters. The joiners U+200C and U+200D are letters' own in Persian and
 * Hindi and stay.
 */
const INVISIBLE =
  /[^\P{Cc}\t\n]|[\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\ufff9-\ufffc\ufffe\uffff]/gu;
const LONE_SURROGATES = /\p{Cs}/gu;
const SPACES = /[\u00a0\u2007\u202f]/g;
const LINE_ENDS = /\r\n?|[\v\f\u0085\u2028\u2029]/g;
/** Most of what is read is this and nothing else. */
const PLAIN = /^[ -~\t\n]*$/;

/** Text as it is stored and searched: composed (NFC), well-formed, with `\n` as its only line end. */
export function cleanText(text: string): string {
  if (PLAIN.test(text)) return text;
  return text
    .replace(LINE_ENDS, '\n')
    .replace(INVISIBLE, '')
    .replace(SPACES, ' ')
    .replace(LONE_SURROGATES, '')
    .normalize('NFC');
}

/** For formats in which white space has no meaning of its own: one line, words one space apart. */
export function cleanLine(text: string): string {
  return cleanText(text).replace(/\s+/g, ' ').trim();
}

export interface Line {
  /** Without its line end. */
  text: string;
  /** Of its first character in the source that is not a space. */
  offset: number;
  /** After its last character that is not a space. */
  end: number;
}

/** Where lines stand together, with all that was left out of their texts. */
export function placeOf(lines: Line[]): { offset: number; length: number } {
  const offset = lines[0]?.offset ?? 0;
  return { offset, length: (lines.at(-1)?.end ?? offset) - offset };
}

/** Lines that end by LF, CRLF or CR; no list of them all is made. */
export function* linesOf(text: string): Generator<Line> {
  const lineEnd = /\r\n?|\n/g;
  let offset = text.startsWith('\ufeff') ? 1 : 0;
  while (offset < text.length) {
    lineEnd.lastIndex = offset;
    const found = lineEnd.exec(text);
    const line = text.slice(offset, found?.index);
    const indent = line.length - line.trimStart().length;
    yield { text: line, offset: offset + indent, end: offset + Math.max(indent, line.trimEnd().length) };
    if (!found) return;
    offset = lineEnd.lastIndex;
  }
}
