import { describe, expect, it } from '@jest/globals';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import LongestFirst, { LONG } from './support/longest-first.mjs';

const SHORT = 'test/setup.spec.ts';
/** By size it would be the other way round. */
const getSize = (path: string) => [LONG[0]!, LONG[2]!, SHORT].findIndex((one) => path.endsWith(one));
const context = { config: { rootDir: process.cwd(), cache: false }, hasteFS: { getSize } };
const testOf = (path: string) => ({ path: join(process.cwd(), path), context });

describe('the order of test files', () => {
  it('lists only existing long tests', () => {
    expect(LONG.filter((path) => !existsSync(path))).toEqual([]);
  });

  it('starts with the longest tests, even before the first run', () => {
    const sorted = new LongestFirst().sort([SHORT, LONG[2]!, LONG[0]!].map(testOf));
    expect(sorted).toEqual([LONG[0]!, LONG[2]!, SHORT].map(testOf));
  });
});
