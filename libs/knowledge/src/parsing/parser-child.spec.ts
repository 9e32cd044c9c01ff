import { describe, expect, it } from '@jest/globals';
import { problemOfExit } from './parser-child.js';

describe('a parser process that exits without a result', () => {
  it.each([
    [null, 'SIGKILL', 'PARSE_MEMORY'],
    [null, 'SIGABRT', 'PARSE_MEMORY'],
    [134, null, 'PARSE_MEMORY'],
    [null, 'SIGSEGV', 'PARSE_FAILED'],
    [1, null, 'PARSE_FAILED'],
    [0, null, 'PARSE_FAILED'],
  ] as const)('%s %s -> %s', (code, signal, expected) => expect(problemOfExit(code, signal).code).toBe(expected));
});
