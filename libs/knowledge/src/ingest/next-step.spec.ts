import { describe, expect, it } from '@jest/globals';
import { DocumentProblem } from '../extract/document-problem.js';
import { ComeBackLater } from '../fetch/fetch-problem.js';
import { nextStep } from './next-step.js';

const coded = (code: string): Error => Object.assign(new Error('no'), { code });

describe('after a failed try', () => {
  it.each<[string, unknown, number, string, number | undefined]>([
    ['a page that is away comes again', new DocumentProblem('URL_UNREACHABLE'), 1, 'pending', 1_000],
    ['later and later', new DocumentProblem('HTTP_503'), 4, 'pending', 60_000],
    ['five times', new DocumentProblem('HTTP_503'), 5, 'failed', undefined],
    ['when the server says', new ComeBackLater('HTTP_429', 90_000), 2, 'pending', 90_000],
    ['but not before our own time', new ComeBackLater('HTTP_429', 0), 2, 'pending', 5_000],
    ['a page that is not there stays so', new DocumentProblem('HTTP_404'), 1, 'failed', undefined],
    ['a locked file stays locked', new DocumentProblem('FILE_ENCRYPTED'), 1, 'failed', undefined],
    ['a hostile one stays hostile', new DocumentProblem('PARSE_MEMORY'), 1, 'failed', undefined],
    ['the parser has no more time', new DocumentProblem('PARSE_TIMEOUT'), 1, 'failed', undefined],
    ['a killed reader has a second chance', new DocumentProblem('PARSE_FAILED'), 1, 'pending', 1_000],
    ['and no third', new DocumentProblem('PARSE_FAILED'), 2, 'failed', undefined],
    ['the database comes back', coded('57P01'), 1, 'pending', 1_000],
    ['so does the storage', coded('ECONNREFUSED'), 2, 'pending', 5_000],
    ['not for ever', coded('ECONNREFUSED'), 5, 'failed', undefined],
    ['a refused value is refused again', coded('22021'), 1, 'failed', undefined],
    ['a fault of ours stays', new TypeError('x is not a function'), 1, 'failed', undefined],
  ])('%s', (_, error, attempt, status, delayMs) => {
    expect(nextStep(error, attempt, 0.5)).toMatchObject({ status, ...(delayMs !== undefined && { delayMs }) });
  });

  it('the wait differs by a quarter, so that not all come back at once', () => {
    expect(nextStep(new DocumentProblem('HTTP_503'), 1, 0).delayMs).toBe(750);
    expect(nextStep(new DocumentProblem('HTTP_503'), 1, 1).delayMs).toBe(1_250);
  });

  it('a person reads what happened, and nothing of the database', () => {
    expect(nextStep(new DocumentProblem('HTTP_404'), 1).problem?.code).toBe('HTTP_404');
    expect(nextStep(coded('57P01'), 5).problem?.code).toBe('INTERNAL');
  });
});
