import { describe, expect, it } from '@jest/globals';
import { PROCESSING_ERROR_CODES } from '@app/knowledge';
import { readFileSync } from 'node:fs';

describe('docs/knowledge-errors.md', () => {
  const text = readFileSync('docs/knowledge-errors.md', 'utf8');

  it.each([...PROCESSING_ERROR_CODES, 'HTTP_nnn'])('has a remedy for the error %s', (code) => {
    expect(text).toContain(`\`${code}\``);
  });
});
