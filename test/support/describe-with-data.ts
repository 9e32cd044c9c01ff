import { describe } from '@jest/globals';
import { testData } from './test-data.js';

/** A `describe` of stories about test data; skipped, and saying so, where neither ../shared/data nor TRUNKLINE_TEST_DATA exists. */
export const describeWithData: (name: string, stories: () => void) => void =
  testData === undefined ? (name, stories) => skipped(`${name} (skipped: no test data here)`, stories) : describe;

const skipped = describe.skip;
