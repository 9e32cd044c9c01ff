import { BlockedAddress, retryAfterMs } from '@app/common';
import { BodyTooLarge, EgressTimeout, TooManyRedirects, UnknownEncoding } from '@app/egress';
import { DocumentProblem } from '../extract/document-problem.js';

/** Upper limit of Retry-After. */
const MAX_WAIT_MS = 10 * 60_000;

/** A failure with a Retry-After header. */
export class RetryAfterProblem extends DocumentProblem {
  constructor(
    code: DocumentProblem['code'],
    readonly afterMs: number,
  ) {
    super(code);
  }
}

/** Error codes of this machine, unrelated to the address. */
const OWN_FAULTS = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EACCES', 'EMFILE', 'ENFILE', 'EIO', 'ENOENT']);

/** The problem that users see for a failed request. Returns errors unrelated to the address unchanged. */
export function fetchProblem(error: unknown): unknown {
  if (error instanceof DocumentProblem) return error;
  if (error instanceof BlockedAddress) return new DocumentProblem('URL_BLOCKED', error.message);
  if (error instanceof TooManyRedirects) return new DocumentProblem('TOO_MANY_REDIRECTS');
  if (error instanceof BodyTooLarge) return new DocumentProblem('URL_TOO_LARGE');
  if (error instanceof UnknownEncoding)
    return new DocumentProblem('UNSUPPORTED_FORMAT', 'The page has an unsupported content encoding.');
  if (error instanceof EgressTimeout) return new DocumentProblem('URL_TIMEOUT');
  if (OWN_FAULTS.has(codeOf(error))) return error;
  return new DocumentProblem('URL_UNREACHABLE');
}

const codeOf = (error: unknown): string => String((error as { code?: unknown } | undefined)?.code);

/** The problem of a status other than 200. */
export function httpProblem(status: number, headers: Record<string, string | string[] | undefined>): DocumentProblem {
  const code = `HTTP_${status}` as const;
  const wait = retryAfterMs(headers['retry-after']);
  const problem = new DocumentProblem(code);
  if (!problem.retryable || wait === undefined) return problem;
  return new RetryAfterProblem(code, Math.min(wait, MAX_WAIT_MS));
}
