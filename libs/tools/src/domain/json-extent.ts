export interface JsonLimits {
  /** Of its text in UTF-8. */
  bytes: number;
  /** Lists and objects inside each other. */
  depth: number;
  /** Everything in it, itself included. */
  values?: number;
}

/** What about a JSON value is over its limits, as the end of a sentence; undefined: nothing. */
export function extentProblem(value: unknown, { bytes, depth, values = Infinity }: JsonLimits): string | undefined {
  let seen = 0;
  // Depth first: JSON.stringify recurses, and would end in a RangeError.
  const isDeep = (item: unknown, left: number): boolean => {
    if ((seen += 1) > values || typeof item !== 'object' || item === null) return false;
    return left === 0 || Object.values(item).some((inner) => isDeep(inner, left - 1));
  };
  if (isDeep(value, depth)) return `must not be nested deeper than ${depth} levels.`;
  if (seen > values) return `must not have more than ${values.toLocaleString('en-US')} values.`;
  const most = bytes.toLocaleString('en-US');
  return Buffer.byteLength(JSON.stringify(value)) > bytes
    ? `must not be greater than ${most} bytes of JSON.`
    : undefined;
}

export const isJsonObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
