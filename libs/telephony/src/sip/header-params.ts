/** The index after the quoted string that starts at `start`, or the end of the text when it is never closed. */
export function afterQuoted(text: string, start: number): number {
  for (let i = start + 1; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c === 0x5c) i++;
    else if (c === 0x22) return i + 1;
  }
  return text.length;
}

/**
 * Cuts at `separator`, but not inside quotes or angle brackets. Parts are trimmed; empty ones are left out. Text after the first `most`
 * parts is ignored.
 */
export function splitOutsideQuotes(text: string, separator: string, most = Infinity): string[] {
  const wanted = separator.charCodeAt(0);
  const parts: string[] = [];
  let start = 0;
  let depth = 0;
  let i = 0;
  while (i < text.length && parts.length < most) {
    const c = text.charCodeAt(i);
    if (c === 0x22) {
      i = afterQuoted(text, i);
      continue;
    }
    if (c === 0x3c) depth++;
    else if (c === 0x3e && depth > 0) depth--;
    else if (c === wanted && depth === 0) {
      pushTrimmed(parts, text, start, i);
      start = i + 1;
    }
    i++;
  }
  if (parts.length < most) pushTrimmed(parts, text, start, text.length);
  return parts;
}

function pushTrimmed(parts: string[], text: string, start: number, end: number): void {
  const part = text.slice(start, end).trim();
  if (part !== '') parts.push(part);
}

/** `"a \"b\""` -> `a "b"`; anything unquoted is returned as it is. */
export function unquote(text: string): string {
  if (text.length < 2 || text.charCodeAt(0) !== 0x22) return text;
  const inner = text.slice(1, text.endsWith('"') ? -1 : undefined);
  return inner.includes('\\') ? inner.replace(/\\(.)/g, '$1') : inner;
}

/** A Via has five, a URI or a digest ten. A datagram has room for 30,000, and its Via is read several times: that took 8 ms. */
const MOST_PARAMS = 100;
const NO_PARAMS: ReadonlyMap<string, string> = new Map();

/** `;a=b;lr;c="d"` -> a=b, lr='', c=d. Names are lower-cased; the first of two equal names counts, and the first 100 of all. */
export function parseParams(text: string): ReadonlyMap<string, string> {
  if (text === '') return NO_PARAMS;
  const params = new Map<string, string>();
  for (const part of splitOutsideQuotes(text, ';', MOST_PARAMS)) {
    const equals = part.indexOf('=');
    const name = (equals < 0 ? part : part.slice(0, equals)).trim().toLowerCase();
    if (name !== '' && !params.has(name)) params.set(name, equals < 0 ? '' : unquote(part.slice(equals + 1).trim()));
  }
  return params;
}
