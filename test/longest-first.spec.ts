import { describe, expect, it } from '@jest/globals';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import LongestFirst, { LONG } from './support/longest-first.mjs';

const UNIT = 'test/setup.spec.ts';
const END_TO_END = 'test/isolated.e2e-spec.ts';
const SORTED = [LONG[0]!, LONG[2]!, END_TO_END, UNIT];
/** By size it would be the other way round. */
const getSize = (path: string) => SORTED.findIndex((one) => path.endsWith(one));
const context = { config: { rootDir: process.cwd(), cache: false }, hasteFS: { getSize } };
const testOf = (path: string) => ({ path: join(process.cwd(), path), context });

describe('the order of test files', () => {
  it('lists only existing long tests', () => {
    expect(LONG.filter((path) => !existsSync(path))).toEqual([]);
  });

  it('starts with the longest tests and ends with unit tests, even before the first run', () => {
    const sorted = new LongestFirst().sort(SORTED.toReversed().map(testOf));
    expect(sorted).toEqual(SORTED.map(testOf));
  });
});
