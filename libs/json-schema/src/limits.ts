/** A JSON Schema as the client sent it: draft 2020-12, 2019-09 or 07, accepted by schemaProblems. */
export type JsonSchema = Record<string, unknown>;

/** Limits of a schema that users give, checked before it is compiled. */
export const SCHEMA_BYTES = 16_384;
/** Levels of nested schemas. */
export const SCHEMA_DEPTH = 8;
export const SCHEMA_NODES = 256;
/** Names under `properties`, of all nested schemas together. */
export const SCHEMA_PROPERTIES = 100;

/** Limits of the arguments of one invocation. */
export const ARGUMENTS_BYTES = 32_768;
export const ARGUMENTS_DEPTH = 16;
export const ARGUMENTS_VALUES = 4_096;

interface JsonLimits {
  /** Of the JSON text in UTF-8. */
  bytes: number;
  /** Levels of nested lists and objects. */
  depth: number;
  /** All nested values and the value itself. */
  values?: number;
}

/** The limit that a JSON value exceeds, as the end of a sentence; undefined when it exceeds none. */
export function jsonLimitProblem(value: unknown, { bytes, depth, values = Infinity }: JsonLimits): string | undefined {
  let seen = 0;
  // Checked first, because JSON.stringify recurses and would throw a RangeError.
  const isDeep = (item: unknown, left: number): boolean => {
    if ((seen += 1) > values || typeof item !== 'object' || item === null) return false;
    return left === 0 || Object.values(item).some((inner) => isDeep(inner, left - 1));
  };
  if (isDeep(value, depth)) return `must not be nested deeper than ${depth} levels`;
  if (seen > values) return `must not have more than ${values.toLocaleString('en-US')} values`;
  const most = bytes.toLocaleString('en-US');
  return Buffer.byteLength(JSON.stringify(value)) > bytes
    ? `must not be greater than ${most} bytes of JSON`
    : undefined;
}

export const isJsonObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
