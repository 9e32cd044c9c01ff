import { describe, expect, it } from '@jest/globals';
import { vectorsOf } from './embedding-request.js';
import { OPENAI } from './wire-formats.js';
import { EmbeddingsRefused, EmbeddingsUnavailable } from './embedder.js';

const NUMBERS = { dimensions: 2, format: OPENAI };
const responseOf = (...data: unknown[]): string => JSON.stringify({ data });
const base64 = (...numbers: number[]): string => Buffer.from(Float32Array.from(numbers).buffer).toString('base64');

describe('the response of an embeddings endpoint', () => {
  it('is sorted by index and normalised, in either format', () => {
    const vectors = vectorsOf(
      responseOf({ index: 1, embedding: [0, 2] }, { index: 0, embedding: base64(3, 4) }),
      2,
      NUMBERS,
    );
    expect(vectors.map((vector) => [...(vector ?? [])].map((value) => value.toFixed(3)))).toEqual([
      ['0.600', '0.800'],
      ['0.000', '1.000'],
    ]);
  });

  it('may omit the index', () => expect(vectorsOf(responseOf({ embedding: [1, 0] }), 1, NUMBERS)).toHaveLength(1));

  it.each([
    ['a zero vector', responseOf({ index: 0, embedding: [0, 0] })],
    ['NaN', responseOf({ index: 0, embedding: base64(Number.NaN, 1) })],
    ['infinity', responseOf({ index: 0, embedding: base64(Number.POSITIVE_INFINITY, 1) })],
  ])('yields no vector for %s', (_, body) => expect(vectorsOf(body, 1, NUMBERS)).toEqual([undefined]));

  it.each([
    ['vectors of another length', responseOf({ index: 0, embedding: [1, 2, 3] }), 'set EMBEDDINGS_DIMENSIONS=3'],
    ['too few vectors', responseOf(), 'returned 0 vectors for 1 texts'],
    [
      'too many vectors',
      responseOf({ index: 0, embedding: [1, 2] }, { index: 1, embedding: [1, 2] }),
      'returned 2 vectors',
    ],
    ['an index out of range', responseOf({ index: 5, embedding: [1, 2] }), 'returned 1 vectors'],
    ['another structure', '{"embeddings": [[1, 2]]}', "does not follow the vendor's format"],
    [
      'strings instead of numbers',
      responseOf({ index: 0, embedding: ['1', '2'] }),
      "does not follow the vendor's format",
    ],
  ])('is rejected with %s', (_, body, message) => {
    expect(() => vectorsOf(body, 1, NUMBERS)).toThrow(EmbeddingsRefused);
    expect(() => vectorsOf(body, 1, NUMBERS)).toThrow(message);
  });

  it('counts as a temporary failure if it is an HTML page', () =>
    expect(() => vectorsOf('<html>', 1, NUMBERS)).toThrow(EmbeddingsUnavailable));
});
