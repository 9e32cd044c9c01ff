const SAMPLE_BYTES = 64 * 1024;
/** Of the zero bytes of a UTF-16 text, those on the wrong side: letters like Ā (U+0100) have theirs there. */
const WRONG_SIDE = 0.1;

/** UTF-16 without a byte order mark: zeros on one side of each pair, and letters where they are decoded. */
export function utf16Of(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  const sample = bytes.subarray(0, Math.min(SAMPLE_BYTES, bytes.length & ~1));
  const zeros = [0, 0];
  for (let at = 0; at < sample.length; at++) if (sample[at] === 0) zeros[at & 1]!++;
  const [even = 0, odd = 0] = zeros;
  if (even + odd === 0) return undefined;
  // A text of one byte per character with a stray zero would read as Chinese.
  if (even + odd < sample.length * 0.4 && mostlyAscii(sample)) return undefined;
  const charset = odd > even ? 'utf-16le' : 'utf-16be';
  if (Math.min(even, odd) > Math.max(even, odd) * WRONG_SIDE) return undefined;
  return readable(new TextDecoder(charset).decode(sample)) ? charset : undefined;
}

/** Half the bytes of UTF-16 are zero in English, and the number of an alphabet elsewhere: 4 in Russian, 14 in Thai. */
function mostlyAscii(bytes: Uint8Array): boolean {
  const isAscii = (byte: number): boolean => (byte >= 0x20 && byte < 0x7f) || byte === 0x0a || byte === 0x0d;
  return bytes.reduce((count, byte) => count + (isAscii(byte) ? 1 : 0), 0) > bytes.length * 0.8;
}

/** Binary files have zeros too, but between them what no text contains. */
function readable(text: string): boolean {
  const strange = text.match(/[^\P{Cc}\t-\r]|[\p{Co}\p{Cn}\ufffd]/gu)?.length ?? 0;
  return strange <= text.length * 0.01;
}
