import { DocumentProblem } from '../extract/document-problem.js';
import { ComeBackLater } from '../fetch/fetch-problem.js';

/** Where a document goes after a try that served nothing. */
export interface NextStep {
  status: 'pending' | 'failed';
  /** Until the next try. */
  delayMs?: number;
  /** What a person reads meanwhile, or for good. */
  problem?: DocumentProblem;
  /** The try is one of the few that a document has. */
  counts: boolean;
}

/** Before the second, third, fourth and fifth try. */
const WAITS_MS = [1_000, 5_000, 20_000, 60_000];
const JITTER = 0.25;
/** A reader that was killed from outside, for memory as a rule, may have been the wrong victim: once. */
const TRIES_OF_A_KILLED_READER = 2;

/** What comes after a failed try: `attempt` is its number, from 1; `random` 0 to 1. */
export function nextStep(error: unknown, attempt: number, random = Math.random()): NextStep {
  const problem = error instanceof DocumentProblem ? error : new DocumentProblem('INTERNAL');
  const tries = problem.code === 'PARSE_FAILED' ? TRIES_OF_A_KILLED_READER : WAITS_MS.length + 1;
  const again = error instanceof DocumentProblem ? problem.retryable : mayPass(error);
  if (!again || attempt >= tries) return { status: 'failed', problem, counts: true };
  const backoff = (WAITS_MS[attempt - 1] ?? 0) * (1 - JITTER + 2 * JITTER * random);
  const delayMs = error instanceof ComeBackLater ? Math.max(backoff, error.afterMs) : backoff;
  return { status: 'pending', delayMs, problem, counts: true };
}

/** The process stops: another one has the document at once, with as many tries as before. */
export const GIVEN_BACK: NextStep = { status: 'pending', delayMs: 0, counts: false };

/**
 * Errors that are not about the document: the database or the storage is away, the disk is full. A fault in our code stays one, and
 * so does a value that PostgreSQL refuses (classes 22 and 23).
 */
function mayPass(error: unknown): boolean {
  if (error instanceof TypeError || error instanceof RangeError || error instanceof ReferenceError) return false;
  return !/^2[23]/.test(String((error as { code?: unknown } | undefined)?.code));
}
