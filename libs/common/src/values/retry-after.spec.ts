import { expect, it } from '@jest/globals';
import { retryAfterMs } from './retry-after.js';

it.each([
  ['120', 120_000],
  [' 120 ', 120_000],
  ['0.5', 500],
  ['Thu, 01 Jan 1970 00:01:00 GMT', 59_000],
  ['Thu, 01 Jan 1970 00:01:00 GMT ', 59_000],
  ['Thu, 01 Jan 1970 00:00:00 GMT', 0],
  ['9'.repeat(400), undefined],
  ['soon', undefined],
  ['-5', undefined],
  ['', undefined],
  [['1', '2'], undefined],
  [undefined, undefined],
])('Retry-After: %j means a wait of %j ms', (header, ms) => expect(retryAfterMs(header, 1_000)).toBe(ms));
