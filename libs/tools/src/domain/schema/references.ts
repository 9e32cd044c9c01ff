import { isJsonObject } from '../json-extent.js';
import type { JsonSchema } from '../tool.js';

const REF = /^#\/(\$defs|definitions)\/([^/]+)$/;

/** `#/$defs/address` with its escapes undone (RFC 6901 §6); undefined: it is no reference to a definition of the schema. */
export function nameOfRef(ref: unknown, schema: JsonSchema): string | undefined {
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
 * A definition that leads back to itself without going into the value, along references such as `allOf` and `$ref`: checking a
 * value with it would not end. What goes into the value, such as a tree's branches, ends where the value does.
 */
export function inPlaceCircle(references: readonly [string | undefined, string][]): string | undefined {
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
