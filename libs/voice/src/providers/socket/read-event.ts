type Kind = 'string' | 'number' | 'object';
/** A question mark allows a missing or null field. */
type Field = Kind | `${Kind}?`;

/** The required fields per event type, `item.name` inside of `item`; types that are not listed have none. */
export type FieldsOf<Event extends { type: string }> = Partial<Record<Event['type'], Record<string, Field>>>;

interface Wanted {
  path: string[];
  kind: Kind;
  optional: boolean;
}

/**
 * Parses a JSON message as an event and checks the fields that are used. Undefined: a violation of the protocol. The checks matter
 * because an exception in a handler would end all calls of the media thread.
 */
export function eventReader<Event extends { type: string }>(
  fields: FieldsOf<Event>,
): (message: string) => Event | undefined {
  const wanted = new Map(
    Object.entries<Record<string, Field>>(fields as Record<string, Record<string, Field>>).map(([type, of]) => [
      type,
      Object.entries(of).map(wantedOf),
    ]),
  );
  return (message) => {
    const event = parsed(message);
    if (!isObject(event) || typeof event.type !== 'string') return undefined;
    const complete = (wanted.get(event.type) ?? []).every((field) => holds(event, field));
    return complete ? (event as unknown as Event) : undefined;
  };
}

const wantedOf = ([name, field]: [string, Field]): Wanted => ({
  path: name.split('.'),
  kind: field.replace('?', '') as Kind,
  optional: field.endsWith('?'),
});

function holds(event: Record<string, unknown>, { path, kind, optional }: Wanted): boolean {
  let value: unknown = event;
  for (const name of path) value = isObject(value) ? value[name] : undefined;
  if (value === undefined || value === null) return optional;
  // JSON has no Infinity, but `1e999` parses to it.
  return typeof value === kind && (kind !== 'number' || Number.isFinite(value));
}

function parsed(message: string): unknown {
  try {
    return JSON.parse(message);
  } catch {
    return undefined;
  }
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** Tool arguments as JSON text. The protocol requires text; some servers send the object itself, or nothing for no arguments. */
export const argumentsJson = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value ?? {});
