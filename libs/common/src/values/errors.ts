import type { ErrorCode } from './error-codes.js';

/** What is wrong with a field: a sentence for the sender and a code for its program. A sentence alone has the code `invalid`. */
export type FieldProblem = string | CodedProblem;

export interface CodedProblem {
  code: ErrorCode;
  message: string;
  /** The text that was meant as a phone number: the response suggests how it is written in E.164. */
  writtenNumber?: string;
}

/** Field name (with index for array elements, `to_number.0`) -> its problems. */
export type FieldErrors = Record<string, FieldProblem[]>;

/** The input is well-formed but invalid: HTTP 422 with `message`, `errors` and `codes`. */
export class InvalidFields extends Error {
  /** Sentences by field. */
  readonly fields: Record<string, string[]>;
  /** Codes by field, in the order of the sentences. */
  readonly codes: Record<string, ErrorCode[]>;

  constructor(readonly problems: FieldErrors) {
    const fields = mapValues(problems, messageOf);
    super(summarise(fields));
    this.fields = fields;
    this.codes = mapValues(problems, codeOf);
  }
}

export const withCode = (code: ErrorCode, message: string): CodedProblem => ({ code, message });

/** The problem of a text that is not a phone number. */
export const wrongNumber = (code: ErrorCode, message: string, writtenNumber: string): CodedProblem => ({
  code,
  message,
  writtenNumber,
});

export const messageOf = (problem: FieldProblem): string => (typeof problem === 'string' ? problem : problem.message);

export const codeOf = (problem: FieldProblem): ErrorCode => (typeof problem === 'string' ? 'invalid' : problem.code);

/** `fromEntries` keeps fields that are named like members of objects, such as `__proto__`. */
const mapValues = <T>(problems: FieldErrors, map: (problem: FieldProblem) => T): Record<string, T[]> =>
  Object.fromEntries(Object.entries(problems).map(([field, list]) => [field, list.map(map)]));

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
function summarise(fields: Record<string, string[]>): string {
  const all = Object.values(fields).flat();
  const more = all.length - 1;
  if (more < 1) return all[0] ?? 'The given data was invalid.';
  return `${all[0]} (and ${more} more error${more > 1 ? 's' : ''})`;
}

/** Throws InvalidFields with the problems of the entries of a list, as `agent_ids.0`. */
export function refuseEntries<Entry>(
  field: string,
  entries: readonly Entry[],
  problemOf: (entry: Entry) => CodedProblem | undefined,
): void {
  const problems = entries.flatMap((entry, index): [string, CodedProblem[]][] => {
    const problem = problemOf(entry);
    return problem ? [[`${field}.${index}`, [problem]]] : [];
  });
  if (problems.length > 0) throw new InvalidFields(Object.fromEntries(problems));
}
