/** Secret digits of a conversation, by name. */
export type SecureValues = ReadonlyMap<string, string>;

const NAME = '[a-z][a-z0-9_]{0,63}';
/** In text, and percent-encoded in a URL. */
const REFERENCE = new RegExp(`\\{\\{\\s{0,8}secure\\.(${NAME})\\s{0,8}\\}\\}|%7B%7Bsecure\\.(${NAME})%7D%7D`, 'g');
/** Shorter digits occur in other values as well. */
const MIN_MASKED = 3;

/** What stands for secret digits in texts, until they are sent. */
export const secureReference = (name: string): string => `{{secure.${name}}}`;

/** The names that a text refers to. */
export const secureNamesIn = (text: string): string[] =>
  [...text.matchAll(REFERENCE)].map(([, plain, encoded]) => plain ?? encoded ?? '');

/** The text with the digits; references to unknown ones stay. */
export const withSecureValues = (text: string, values: SecureValues): string =>
  text.replace(REFERENCE, (whole: string, plain?: string, encoded?: string) =>
    encoded === undefined ? (values.get(plain ?? '') ?? whole) : encodeValue(values.get(encoded), whole),
  );

/** A value with the digits in all its texts. */
export function deepWithSecureValues(value: unknown, values: SecureValues): unknown {
  return mapTexts(value, (text) => withSecureValues(text, values));
}

/** A text that may repeat the digits, with references instead of them. Digits may be grouped by spaces or hyphens. */
export function withoutSecureValues(text: string, values: SecureValues): string {
  let masked = text;
  for (const [name, value] of values) {
    if (value.length < MIN_MASKED) continue;
    const digits = Array.from(value).join('[ -]?');
    masked = masked.replace(new RegExp(`(?<![0-9])${digits}(?![0-9])`, 'g'), secureReference(name));
  }
  return masked;
}

/** The same for all texts and numbers of a JSON value. */
export function deepWithoutSecureValues(value: unknown, values: SecureValues): unknown {
  if (values.size === 0) return value;
  return mapTexts(value, (text) => withoutSecureValues(text, values), true);
}

const encodeValue = (value: string | undefined, otherwise: string): string =>
  value === undefined ? otherwise : encodeURIComponent(value);

/** `numbers`: a number whose text changes becomes that text. */
function mapTexts(value: unknown, change: (text: string) => string, numbers = false): unknown {
  if (typeof value === 'string') return change(value);
  if (typeof value === 'number' && numbers) {
    const text = String(value);
    const changed = change(text);
    return changed === text ? value : changed;
  }
  if (Array.isArray(value)) return value.map((one) => mapTexts(one, change, numbers));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [numbers ? change(key) : key, mapTexts(one, change, numbers)]),
  );
}
