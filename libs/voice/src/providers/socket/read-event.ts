type Field = 'string' | 'number' | 'object';

/** The fields that events of these types must have; types that are not named may hold anything. */
export type FieldsOf<Event extends { type: string }> = Partial<Record<Event['type'], Record<string, Field>>>;

/** A JSON message as an event, once it holds what is used of it. Undefined: this is not the protocol. */
export function readEvent<Event extends { type: string }>(message: string, fields: FieldsOf<Event>): Event | undefined {
  const event = parsed(message);
  if (!isObject(event) || typeof event.type !== 'string') return undefined;
  const wanted = Object.entries<Field>(fields[event.type as Event['type']] ?? {});
  const complete = wanted.every(([name, kind]) => typeof event[name] === kind && event[name] !== null);
  return complete ? (event as unknown as Event) : undefined;
}

function parsed(message: string): unknown {
  try {
    return JSON.parse(message);
  } catch {
    return undefined;
  }
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
