/** SQLSTATE of the errors that the service knows. https://www.postgresql.org/docs/current/errcodes-appendix.html */
export const FEATURE_NOT_SUPPORTED = '0A000';
export const NOT_NULL_VIOLATION = '23502';
export const FOREIGN_KEY_VIOLATION = '23503';
export const UNIQUE_VIOLATION = '23505';
/** Also of "must be owner of table". */
export const INSUFFICIENT_PRIVILEGE = '42501';
export const UNDEFINED_OBJECT = '42704';
export const UNDEFINED_FILE = '58P01';

/** What a failed statement says; an error of another origin has none of it. */
interface DatabaseFault {
  code?: unknown;
  constraint?: string;
  column?: string;
}

/** Never throws, so that the caller can rethrow the error that it knows nothing about. */
export const faultOf = (error: unknown): DatabaseFault => error ?? {};

/** Whether a statement failed with this code, because of this constraint if one is given. */
export function hasCode(error: unknown, code: string, constraint?: string): boolean {
  const fault = faultOf(error);
  return fault.code === code && (constraint === undefined || fault.constraint === constraint);
}
