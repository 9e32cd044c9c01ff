/** Arguments of a tool as JSON text, which they are by the protocol; some servers send the object itself, or nothing for no arguments. */
export const jsonOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value ?? {}));
