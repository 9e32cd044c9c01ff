import type { ErrorMessage } from './messages.js';
import { errorCodeOf, sentence, WebCallError, type WebCallErrorCode, type WebCallLanguage } from './sentences.js';

/** Why something failed, before it has a sentence. */
export class WebFailure extends Error {
  constructor(
    readonly code: WebCallErrorCode,
    cause?: unknown,
  ) {
    super(code, { cause });
  }
}

/** Failures as errors with a sentence in the language of the page. */
export class Failures {
  constructor(private readonly language: WebCallLanguage) {}

  error(code: WebCallErrorCode, message = sentence(code, this.language)): WebCallError {
    return new WebCallError(code, message);
  }

  /** What the service said, in the language of the page where the sentence is known. */
  refused({ code, message }: ErrorMessage, closedFor: WebCallErrorCode = 'failed'): WebCallError {
    const known = errorCodeOf(code) ?? closedFor;
    return known === 'failed' ? this.error(known, message || undefined) : this.error(known);
  }

  of(error: unknown): WebCallError {
    if (error instanceof WebCallError) return error;
    if (error instanceof WebFailure) return this.error(error.code);
    return Object.assign(this.error('failed'), { cause: error });
  }
}

/** What the end of a call or of listening says about its failure. */
export const endOf = ({ code, message }: WebCallError): { error: WebCallErrorCode; message: string } => ({
  error: code,
  message,
});
