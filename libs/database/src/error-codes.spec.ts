import { describe, expect, it } from '@jest/globals';
import { faultOf, hasCode, UNIQUE_VIOLATION } from './error-codes.js';

const taken = Object.assign(new Error('duplicate key'), { code: UNIQUE_VIOLATION, constraint: 'tools_name' });

describe('the code of a failed statement', () => {
  it.each([
    ['is that of the error', taken, undefined, true],
    ['and its constraint are those of the error', taken, 'tools_name', true],
    ['does not count for another constraint', taken, 'agents_name', false],
    ['is missing in an error of another origin', new Error('socket hang up'), undefined, false],
    ['is missing where nothing was thrown', undefined, undefined, false],
  ])('%s', (_name, error, constraint, expected) => {
    expect(hasCode(error, UNIQUE_VIOLATION, constraint)).toBe(expected);
  });

  it('is read without a fault from any value that was thrown', () => {
    expect([null, undefined, 'text', 5].map((thrown) => faultOf(thrown).code)).toEqual(Array(4).fill(undefined));
  });
});
