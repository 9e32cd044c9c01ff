import { describe, expect, it } from '@jest/globals';
import { storageProblem } from './storage-quota.js';

const says = (limit: number, used: number, bytes: number): string =>
  `The account may store ${limit} bytes and uses ${used}; a file of ${bytes} bytes does not fit.`;

describe('a file of an account with a storage limit', () => {
  it.each([
    ['fits when there is no limit', null, '999999999999', 1, undefined],
    ['fits when nothing is stored', '100', '0', 100, undefined],
    ['fits when it takes the last byte', '100', '40', 60, undefined],
    ['does not fit when it is one byte too large', '100', '40', 61, says(100, 40, 61)],
    ['does not fit when the limit is zero', '0', '0', 1, says(0, 0, 1)],
    ['does not fit when the limit was lowered below what is stored', '10', '40', 1, says(10, 40, 1)],
    ['fits when it is empty', '100', '100', 0, undefined],
    ['fits when files that were never counted were deleted', '100', '-50', 150, undefined],
    ['counts a negative use as none in the sentence', '100', '-50', 151, says(100, 0, 151)],
  ])('%s', (_name, storage_bytes, used_bytes, bytes, problem) => {
    expect(storageProblem({ storage_bytes, used_bytes }, bytes)).toBe(problem);
  });

  it('is refused with a sentence that writes large numbers with separators', () => {
    const use = { storage_bytes: '53687091200', used_bytes: '53687091199' };
    expect(storageProblem(use, 10_485_760)).toBe(
      'The account may store 53,687,091,200 bytes and uses 53,687,091,199; a file of 10,485,760 bytes does not fit.',
    );
  });
});
