/**
 * OpenAPI 3.1 is JSON Schema, which has no `nullable`: `{type: 'string', nullable: true}` becomes
 * `{type: ['string', 'null']}`, with null among the values of an `enum`.
 */
export function nullableTypes<T>(node: T): T {
  if (Array.isArray(node)) return node.map((item: unknown) => nullableTypes(item)) as T;
  if (typeof node !== 'object' || node === null) return node;
  const copy = Object.fromEntries(Object.entries(node).map(([key, value]) => [key, nullableTypes(value as unknown)]));
  if (copy.nullable !== true || typeof copy.type !== 'string') return copy as T;
  const { nullable: _nullable, type, enum: values, ...rest } = copy;
  const allowed = Array.isArray(values) ? { enum: [...new Set([...(values as unknown[]), null])] } : {};
  return { type: [type, 'null'], ...allowed, ...rest } as T;
}
