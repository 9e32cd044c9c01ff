/**
 * JSON whose numbers keep their digits. JSON.parse reads every number as a double: `8389765929445198309`, the ID of a record elsewhere,
 * becomes `8389765929445198000`. Node.js 20 has no access to the source text of a number (ECMA-262 `context.source`), and parsers in
 * JavaScript block the event loop ten times as long, so that the few texts with such a number are changed before JSON.parse reads them.
 */

/** Texts without this have only numbers that a double holds. It does not stand in base64, of which the messages of vendors consist. */
const SUSPICIOUS = /(?:^|[[:,\s])-?\d(?:[\d.]{15}|[\d.]{0,14}[eE]\+?\d{3})/;
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/gs;
/** A double holds every number of so many digits. */
const SAFE_DIGITS = 15;
/** Longer than the integers that a double holds (309 digits), with a sign, a fraction and an exponent. */
const MAX_NUMBER_CHARACTERS = 400;
/** Stands before inexact numbers while their paths are collected; no accepted text contains it. */
const MARK = '\0';
const MAX_PATHS = 20;

/** As JSON.parse; integers and large numbers that a double does not hold become the text of their digits. */
export function readJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  return SUSPICIOUS.test(text) ? JSON.parse(exactNumbers(text)) : value;
}

/** The text with inexact numbers as strings. Text that is not JSON stays invalid, or is only changed in its numbers. */
export const exactNumbers = (text: string): string => (SUSPICIOUS.test(text) ? quote(text, '') : text);

/** Where valid JSON has numbers that a double does not hold, such as `metadata.order_id`. */
export function inexactNumberPaths(text: string): string[] {
  if (!SUSPICIOUS.test(text)) return [];
  const paths: string[] = [];
  const search = (value: unknown, path: string): void => {
    if (typeof value === 'string') {
      if (value.startsWith(MARK) && paths.length < MAX_PATHS) paths.push(path);
    } else if (typeof value === 'object' && value !== null)
      for (const [name, inner] of Object.entries(value)) search(inner, path === '' ? name : `${path}.${name}`);
  };
  search(JSON.parse(quote(text, String.raw`\u0000`)), '');
  return paths;
}

const quote = (text: string, mark: string): string =>
  text.replace(TOKEN, (token) => (token.startsWith('"') || isExact(token) ? token : `"${mark}${token}"`));

/** Fractions are measures, which every reader rounds; only integers and what is larger than them name something by their digits. */
function isExact(token: string): boolean {
  const value = Number(token);
  if (!Number.isFinite(value)) return false;
  if (Math.abs(value) <= Number.MAX_SAFE_INTEGER) return true;
  // The pattern for zeros below takes quadratic time.
  if (token.length > MAX_NUMBER_CHARACTERS) return false;
  const digits = token
    .replace(/[eE].*$/, '')
    .replace(/\D/g, '')
    .replace(/^0+|0+$/g, '');
  if (digits.length <= SAFE_DIGITS) return true;
  return /^-?\d+$/.test(token) && BigInt(token) === BigInt(value);
}

/** Whether a value that another reader has parsed may have lost digits. */
export function hasInexactNumber(value: unknown): boolean {
  if (typeof value === 'number') return Math.abs(value) > Number.MAX_SAFE_INTEGER;
  return typeof value === 'object' && value !== null && Object.values(value).some(hasInexactNumber);
}
