import { byteOrderMark, charsetOfTable, utf16Of } from './decode-text.js';

/** The encoding of a table of any size, found while it is read once: by its first bytes, else UTF-8 if all of it is, else by letters. */
export async function charsetOfTableFile(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let isFirst = true;
  for await (const chunk of chunks) {
    const wide = isFirst ? (byteOrderMark(chunk) ?? utf16Of(chunk)) : undefined;
    if (wide) return wide;
    isFirst = false;
    try {
      decoder.decode(chunk, { stream: true });
    } catch {
      // The first bytes that are not UTF-8: the letters around them show the encoding.
      return charsetOfTable(chunk.subarray(chunk.findIndex((byte) => byte > 0x7f)));
    }
  }
  return 'utf-8';
}
