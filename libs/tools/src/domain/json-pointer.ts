/** RFC 6901, section 3: `~` occurs in `~0` and `~1` only. */
export const JSON_POINTER = /^(?:\/(?:[^~/]|~[01])*)*$/;

/** The value at a JSON pointer (RFC 6901, section 4); undefined: there is none. Own fields only. */
export function valueAtPointer(document: unknown, pointer: string): unknown {
  if (!JSON_POINTER.test(pointer)) return undefined;
  let value = document;
  for (const token of pointer.split('/').slice(1)) {
    if (typeof value !== 'object' || value === null) return undefined;
    const name = token.replaceAll('~1', '/').replaceAll('~0', '~');
    // An index has no leading zero; `-` is the element after the last one, which does not exist.
    if (Array.isArray(value) && !/^(?:0|[1-9]\d{0,8})$/.test(name)) return undefined;
    value = Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined;
  }
  return value;
}
