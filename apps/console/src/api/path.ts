/** A path below `/api/v1/`. Only `apiPath` makes one, so no request leaves with a segment that was not encoded. */
export class ApiPath {
  /** A private member keeps objects of another shape, and plain strings, from passing as a path. */
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  toString(): string {
    return this.#text;
  }
}

/**
 * Writes a path: apiPath`calls/${id}/events`. Values are encoded as one segment each; another path is taken as it stands.
 * @throws Error for a value that cannot be a segment
 */
export function apiPath(parts: TemplateStringsArray, ...values: readonly (string | number | ApiPath)[]): ApiPath {
  const written = values.map((value) => (value instanceof ApiPath ? String(value) : segmentOf(String(value))));
  return new ApiPath(parts.map((part, index) => part + (written[index] ?? '')).join(''));
}

/**
 * Whether a text may be one segment of a path. A slash would be encoded, and dots would be resolved by the browser
 * (WHATWG URL, 4.5: also as `%2e`); proxies on the way decode `%2F` and resolve `..` behind it.
 */
export const isSegment = (text: string): boolean => text !== '' && !/^\.\.?$|[/\\]/.test(text);

function segmentOf(text: string): string {
  if (!isSegment(text)) throw new Error('This address is not valid.');
  return encodeURIComponent(text);
}
