import { isJsonObject } from '../limits.js';
import type { JsonSchema } from '../tool.js';

const REF = /^#\/(\$defs|definitions)\/([^/]+)$/;

/** `#/$defs/address` without escapes (RFC 6901 §6); undefined when it refers to no definition of the schema. */
export function definitionOfRef(ref: unknown, schema: JsonSchema): string | undefined {
  const [, keyword = '', escaped = ''] = (typeof ref === 'string' && REF.exec(ref)) || [];
  const name = unescaped(escaped);
  const definitions = schema[keyword];
  const isThere = name !== undefined && isJsonObject(definitions) && Object.hasOwn(definitions, name);
  return isThere ? `#/${keyword}/${name}` : undefined;
}

function unescaped(text: string): string | undefined {
  try {
    return decodeURIComponent(text).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    return undefined;
  }
}

/**
 * A definition that refers to itself for the same value, for example through `allOf` and `$ref`: validation would not end. Recursion into
 * the value, such as into the branches of a tree, ends with the value.
 */
export function inPlaceCycle(references: readonly [string | undefined, string][]): string | undefined {
  const next = new Map<string, string[]>();
  for (const [from, to] of references) if (from !== undefined) next.set(from, [...(next.get(from) ?? []), to]);
  return [...next.keys()].find((start) => reaches(start, start, next));
}

function reaches(from: string, target: string, next: ReadonlyMap<string, string[]>): boolean {
  const seen = new Set<string>();
  const waiting = [...(next.get(from) ?? [])];
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (name === target) return true;
    if (seen.has(name)) continue;
    seen.add(name);
    waiting.push(...(next.get(name) ?? []));
  }
  return false;
}
