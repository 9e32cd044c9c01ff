/** Values of one set of fixtures by the names of their placeholders, such as `agent` and `token.all`. */
export type Values = Readonly<Record<string, string>>;

const PLACEHOLDER = /\{\{(?:repeat:(.+?):(\d+)|([a-z0-9_.]+))\}\}/gs;

/**
 * Replaces `{{agent}}` by the value of `agent`, and `{{repeat:TEXT:COUNT}}` by the repeated text. Other braces remain: the templates of tools
 * use them as well.
 */
export function placed(text: string, values: Values): string {
  return text.replaceAll(PLACEHOLDER, (whole, repeated?: string, count?: string, name?: string) => {
    if (repeated !== undefined) return repeated.repeat(Number(count));
    return name === undefined ? whole : (values[name] ?? whole);
  });
}

/** Numbers, UUIDs, words and tokens: what an id can be. */
const PIECES = /([\w+-]+)/;

/**
 * The template behind two answers to one request that was sent with two sets of fixtures. Only what differs between the two can depend on the
 * fixtures: a `1` in "at least 1" is not the id of a record. @returns undefined if no placeholders explain the difference
 */
export function templateOf(one: string, other: string, values: Values, otherValues: Values): string | undefined {
  if (one === other) return one;
  const [pieces, others] = [one.split(PIECES), other.split(PIECES)];
  if (pieces.length !== others.length) return undefined;
  const template = pieces.map((piece, index) => {
    const counterpart = others[index];
    if (piece === counterpart) return piece;
    const name = Object.keys(values).find((key) => values[key] === piece && otherValues[key] === counterpart);
    return name === undefined ? undefined : `{{${name}}}`;
  });
  return template.includes(undefined) ? undefined : template.join('');
}
