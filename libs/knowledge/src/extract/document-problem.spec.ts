import { describe, expect, it } from '@jest/globals';
import { DocumentProblem, isProcessingErrorCode, PROCESSING_ERROR_CODES } from './document-problem.js';

describe('a document problem', () => {
  it.each(PROCESSING_ERROR_CODES)('%s states the problem and the remedy', (code) => {
    const problem = new DocumentProblem(code);
    expect(problem.processingError).toMatch(new RegExp(`^${code}: [A-Z].+\\. [A-Z].+\\.$`));
    expect(isProcessingErrorCode(code)).toBe(true);
  });

  it('keeps the remedy of its code with a more specific sentence', () => {
    const problem = new DocumentProblem('TYPE_MISMATCH', 'The file is named .docx but is a PDF.');
    expect(problem.message).toMatch(/^The file is named \.docx but is a PDF\. Upload it with the correct extension/);
  });

  it('can be restored from its code and sentence in another process', () => {
    const problem = new DocumentProblem('FILE_CORRUPT', 'Line 3 opens a quote that never closes.');
    expect(new DocumentProblem(problem.code, problem.sentence)).toEqual(problem);
  });

  it.each([
    [404, false],
    [401, false],
    [408, true],
    [429, true],
    [500, true],
    [503, true],
  ])('HTTP_%i is retryable: %s', (status, retryable) => {
    const problem = new DocumentProblem(`HTTP_${status}`);
    expect(problem.retryable).toBe(retryable);
    expect(problem.processingError).toContain(`HTTP_${status}: The server of the address answered with`);
  });

  it('rejects unknown codes', () => {
    expect(['HTTP_42', 'HTTP_', 'toString', 'ENOENT'].filter(isProcessingErrorCode)).toEqual([]);
  });
});
