export interface Line {
  /** Without its line end. */
  text: string;
  /** Of its first character in the source. */
  offset: number;
}

/** Lines that end by LF, CRLF or CR; no list of them all is made. */
export function* linesOf(text: string): Generator<Line> {
  const end = /\r\n?|\n/g;
  let offset = text.startsWith('\ufeff') ? 1 : 0;
  while (offset < text.length) {
    end.lastIndex = offset;
    const found = end.exec(text);
    yield { text: text.slice(offset, found?.index), offset };
    if (!found) return;
    offset = end.lastIndex;
  }
}
