import { DocumentProblem } from '../extract/document-problem.js';
import { RetryAfterProblem } from '../fetch/fetch-problem.js';

/** The next state of a document after a failed try. */
export interface NextStep {
  status: 'pending' | 'failed';
  /** Until the next try. */
  delayMs?: number;
  /** The error that users see. */
  problem?: DocumentProblem;
  /** The try counts towards the limit. */
  counts: boolean;
}

/** Before the second, third, fourth and fifth try. */
const WAITS_MS = [1_000, 5_000, 20_000, 60_000];
const JITTER = 0.25;
/** A parser killed from outside, usually for lack of memory, may not have caused the shortage: it gets one more try. */
const TRIES_OF_KILLED_PARSER = 2;

/** The step after a failed try; `attempt` is its number, from 1; `random` is 0 to 1. */
export function nextStep(error: unknown, attempt: number, random = Math.random()): NextStep {
  const problem = error instanceof DocumentProblem ? error : new DocumentProblem('INTERNAL');
  const tries = problem.code === 'PARSE_FAILED' ? TRIES_OF_KILLED_PARSER : WAITS_MS.length + 1;
  const again = error instanceof DocumentProblem ? problem.retryable : isTemporary(error);
  if (!again || attempt >= tries) return { status: 'failed', problem, counts: true };
  const backoff = (WAITS_MS[attempt - 1] ?? 0) * (1 - JITTER + 2 * JITTER * random);
  const delayMs = error instanceof RetryAfterProblem ? Math.max(backoff, error.afterMs) : backoff;
  return { status: 'pending', delayMs, problem, counts: true };
}

/** The process is stopping: the document returns to the queue at once, and the try does not count. */
export const RETURNED: NextStep = { status: 'pending', delayMs: 0, counts: false };

/**
 * Errors unrelated to the document (database or storage unavailable, disk full) are temporary. A bug in our code is not, and
 * neither is a value that PostgreSQL rejects (classes 22 and 23).
 */
function isTemporary(error: unknown): boolean {
  if (error instanceof TypeError || error instanceof RangeError || error instanceof ReferenceError) return false;
  return !/^2[23]/.test(String((error as { code?: unknown } | undefined)?.code));
}
