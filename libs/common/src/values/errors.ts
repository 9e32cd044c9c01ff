/** Field name (with index for array elements, `to_number.0`) -> messages for the sender. */
export type FieldErrors = Record<string, string[]>;

/** The input is well-formed but invalid: HTTP 422 with `message` and `errors`. */
export class InvalidFields extends Error {
  constructor(readonly fields: FieldErrors) {
    super(summarise(fields));
  }
}

/** The record does not exist for this account: HTTP 404. Another account's record looks the same. */
export class NotFound extends Error {
  constructor(what: string) {
    super(`${what} not found.`);
  }
}

/** The state of the record does not allow the operation: HTTP 409. */
export class Conflict extends Error {}

/** The operation needs a process that does not run or does not answer: HTTP 503. */
export class Unavailable extends Error {}

/** Laravel's format: the first message and the number of the others. */
function summarise(fields: FieldErrors): string {
  const all = Object.values(fields).flat();
  const more = all.length - 1;
  if (more < 1) return all[0] ?? 'The given data was invalid.';
  return `${all[0]} (and ${more} more error${more > 1 ? 's' : ''})`;
}
