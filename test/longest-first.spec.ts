import { describe, expect, it } from '@jest/globals';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import LongestFirst, { LONG } from './support/longest-first.mjs';

const SHORT = 'test/setup.spec.ts';
/** By size it would be the other way round. */
const getSize = (path: string) => [LONG[0]!, LONG[2]!, SHORT].findIndex((one) => path.endsWith(one));
const context = { config: { rootDir: process.cwd(), cache: false }, hasteFS: { getSize } };
const testOf = (path: string) => ({ path: join(process.cwd(), path), context });

describe('the long tests', () => {
  it('are there', () => {
    expect(LONG.filter((path) => !existsSync(path))).toEqual([]);
  });

  it('begin first, the longest before all, also where none has run before', () => {
    const sorted = new LongestFirst().sort([SHORT, LONG[2]!, LONG[0]!].map(testOf));
    expect(sorted).toEqual([LONG[0]!, LONG[2]!, SHORT].map(testOf));
  });
});
