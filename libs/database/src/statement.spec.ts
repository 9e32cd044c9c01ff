import { describe, expect, it } from '@jest/globals';
import { pgJson } from './statement.js';

describe('JSON for a jsonb column', () => {
  it.each([
    ['a\0b', 'a\ufffdb'],
    ['\\u0000', '\\u0000'],
    ['\\\0', '\\\ufffd'],
    ['\\\\\0\0', '\\\\\ufffd\ufffd'],
    ['\ud83d', '\ufffd'],
    ['\udc00x', '\ufffdx'],
    ['😀 "\n', '😀 "\n'],
  ])('%j', (text, stored) => {
    expect(JSON.parse(pgJson({ [text]: [text] }))).toEqual({ [stored]: [stored] });
  });
});
