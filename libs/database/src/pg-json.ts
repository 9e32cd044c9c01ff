/** A text of others for a column of type text, which has no room for NUL either; the driver replaces lone surrogates. */
export const pgText = (text: string): string => text.replaceAll('\0', '\ufffd');

/** An escaped backslash, which is passed over, or an escape that PostgreSQL's jsonb refuses: NUL, or half of a surrogate pair. */
const ESCAPES = /\\(?:\\|u0000|ud[89a-f][0-9a-f]{2})/g;

/** JSON.stringify (it escapes lone surrogates only) with U+FFFD for what jsonb cannot hold: models and endpoints send anything. */
export const pgJson = (value: unknown): string =>
  JSON.stringify(value).replace(ESCAPES, (escape) => (escape === '\\\\' ? escape : '\\ufffd'));
