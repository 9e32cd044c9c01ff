import { describe, expect, it } from '@jest/globals';
import { DocumentProblem } from '../extract/document-problem.js';
import { RetryAfterProblem } from '../fetch/fetch-problem.js';
import { nextStep } from './next-step.js';

const coded = (code: string): Error => Object.assign(new Error('no'), { code });

describe('the step after a failed try', () => {
  it.each<[string, unknown, number, string, number | undefined]>([
    ['an unreachable page is retried', new DocumentProblem('URL_UNREACHABLE'), 1, 'pending', 1_000],
    ['the fourth retry of a page waits a minute', new DocumentProblem('HTTP_503'), 4, 'pending', 60_000],
    ['a page fails after five tries', new DocumentProblem('HTTP_503'), 5, 'failed', undefined],
    [
      'a page is retried after the time of Retry-After',
      new RetryAfterProblem('HTTP_429', 90_000),
      2,
      'pending',
      90_000,
    ],
    ['a shorter Retry-After does not shorten the backoff', new RetryAfterProblem('HTTP_429', 0), 2, 'pending', 5_000],
    ['a missing page is not retried', new DocumentProblem('HTTP_404'), 1, 'failed', undefined],
    ['an encrypted file is not retried', new DocumentProblem('FILE_ENCRYPTED'), 1, 'failed', undefined],
    ['a file that needs too much memory is not retried', new DocumentProblem('PARSE_MEMORY'), 1, 'failed', undefined],
    [
      'a file that takes too long to parse is not retried',
      new DocumentProblem('PARSE_TIMEOUT'),
      1,
      'failed',
      undefined,
    ],
    ['a document whose parser was killed is retried once', new DocumentProblem('PARSE_FAILED'), 1, 'pending', 1_000],
    ['a document whose parser was killed twice fails', new DocumentProblem('PARSE_FAILED'), 2, 'failed', undefined],
    ['a document is retried after the database was unavailable', coded('57P01'), 1, 'pending', 1_000],
    ['a document is retried after the storage was unavailable', coded('ECONNREFUSED'), 2, 'pending', 5_000],
    ['a document fails if the storage stays unavailable', coded('ECONNREFUSED'), 5, 'failed', undefined],
    ['a value that the database rejects is not retried', coded('22021'), 1, 'failed', undefined],
    ['a bug in our code is not retried', new TypeError('x is not a function'), 1, 'failed', undefined],
  ])('%s', (_, error, attempt, status, delayMs) => {
    expect(nextStep(error, attempt, 0.5)).toMatchObject({ status, ...(delayMs !== undefined && { delayMs }) });
  });

  it('varies the wait by a quarter, so that retries do not coincide', () => {
    expect(nextStep(new DocumentProblem('HTTP_503'), 1, 0).delayMs).toBe(750);
    expect(nextStep(new DocumentProblem('HTTP_503'), 1, 1).delayMs).toBe(1_250);
  });

  it('shows users the problem of the document, but no database error', () => {
    expect(nextStep(new DocumentProblem('HTTP_404'), 1).problem?.code).toBe('HTTP_404');
    expect(nextStep(coded('57P01'), 5).problem?.code).toBe('INTERNAL');
  });
});
