import { type ClassConstructor, plainToInstance } from 'class-transformer';
import { getMetadataStorage } from 'class-validator';

type Class = ClassConstructor<object>;

/** A value that Nest and class-transformer do not look into. */
class Held {
  readonly #value: unknown;

  constructor(value: unknown) {
    this.#value = value;
  }

  static valueOf(held: Held): unknown {
    return held.#value;
  }
}

/** The value of a field that may be held. */
export const released = (value: unknown): unknown => (value instanceof Held ? Held.valueOf(value) : value);

/**
 * Holds the fields of a body that its DTO keeps as they were sent: Nest would remove keys such as `constructor` from them, at any
 * depth; only `__proto__` is removed. Returns a function that puts the fields back.
 */
export function holdFields(body: unknown, dto: Class | undefined): () => void {
  if (!dto || typeof body !== 'object' || body === null || Array.isArray(body)) return () => undefined;
  const fields = body as Record<string, unknown>;
  const values = keptFields(dto)
    .filter((name) => Object.hasOwn(fields, name) && typeof fields[name] === 'object')
    .map((name): [string, unknown] => [name, fields[name]]);
  for (const [name, value] of values) {
    removeProto(value);
    fields[name] = new Held(value);
  }
  return () => Object.assign(fields, Object.fromEntries(values));
}

/** Objects may be copied by assignment, which would set their prototype. Without recursion: JSON may be nested deeply. */
function removeProto(json: unknown): void {
  const waiting = [json];
  while (waiting.length > 0) {
    const one = waiting.pop();
    if (typeof one !== 'object' || one === null) continue;
    Reflect.deleteProperty(one, '__proto__');
    for (const value of Object.values(one)) if (typeof value === 'object') waiting.push(value);
  }
}

const known = new WeakMap<Class, string[]>();

/** The fields of a DTO with `AsSent`, its own and those of classes that it is derived from. */
function keptFields(dto: Class): string[] {
  const found = known.get(dto);
  if (found) return found;
  const rules = getMetadataStorage().getTargetValidationMetadatas(dto, '', false, false);
  const value = {};
  // Other transformations do not release a value.
  const isKept = (name: string): boolean =>
    Reflect.get(plainToInstance(dto, { [name]: new Held(value) } as object), name) === value;
  const kept = [...new Set(rules.map(({ propertyName }) => propertyName))].filter(isKept);
  known.set(dto, kept);
  return kept;
}
