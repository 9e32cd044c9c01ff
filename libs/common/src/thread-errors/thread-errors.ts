/** An error as a message to another thread or process: cloning would lose its class. */
export interface ErrorDescription {
  name: string;
  message: string;
}

export function describeError(error: unknown): ErrorDescription {
  if (error instanceof Error) return { name: error.name, message: error.message };
  return { name: 'Error', message: String(error) };
}

/** `classes`: those that the receiver tells apart, by the `name` of the sender's error. Others become an Error of the same name. */
export function rebuildError(
  { name, message }: ErrorDescription,
  classes: Readonly<Record<string, new (message: string) => Error>> = {},
): Error {
  const Class = Object.hasOwn(classes, name) ? classes[name] : undefined;
  return Class ? new Class(message) : Object.assign(new Error(message), { name });
}
