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
