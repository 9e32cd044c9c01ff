import { describe, expect, it } from '@jest/globals';
import { retryAfterMs, vectorsOf } from './embedding-request.js';
import { EmbeddingsRefused, EmbeddingsUnavailable } from './embedder.js';

const said = (...data: unknown[]): string => JSON.stringify({ data });
const base64 = (...numbers: number[]): string => Buffer.from(Float32Array.from(numbers).buffer).toString('base64');

describe('the answer of an embeddings endpoint', () => {
  it('is put in order by its index, whatever the format, and made 1 long', () => {
    const vectors = vectorsOf(said({ index: 1, embedding: [0, 2] }, { index: 0, embedding: base64(3, 4) }), 2, 2);
    expect(vectors.map((vector) => [...(vector ?? [])].map((value) => value.toFixed(3)))).toEqual([
      ['0.600', '0.800'],
      ['0.000', '1.000'],
    ]);
  });

  it('may leave the index out', () => expect(vectorsOf(said({ embedding: [1, 0] }), 1, 2)).toHaveLength(1));

  it.each([
    ['zeros', said({ index: 0, embedding: [0, 0] })],
    ['what is not a number', said({ index: 0, embedding: base64(Number.NaN, 1) })],
    ['infinity', said({ index: 0, embedding: base64(Number.POSITIVE_INFINITY, 1) })],
  ])('gives no vector for %s', (_, body) => expect(vectorsOf(body, 1, 2)).toEqual([undefined]));

  it.each([
    ['another length', said({ index: 0, embedding: [1, 2, 3] }), 'set EMBEDDINGS_DIMENSIONS=3'],
    ['too few', said(), 'answered 0 vectors to 1 texts'],
    ['too many', said({ index: 0, embedding: [1, 2] }, { index: 1, embedding: [1, 2] }), 'answered 2 vectors'],
    ['a place that is not there', said({ index: 5, embedding: [1, 2] }), 'answered 1 vectors'],
    ['another shape', '{"embeddings": [[1, 2]]}', 'not answer as OpenAI documents'],
    ['texts for numbers', said({ index: 0, embedding: ['1', '2'] }), 'not answer as OpenAI documents'],
  ])('is refused with %s', (_, body, message) => {
    expect(() => vectorsOf(body, 1, 2)).toThrow(EmbeddingsRefused);
    expect(() => vectorsOf(body, 1, 2)).toThrow(message);
  });

  it('may be better another time when it is a page', () =>
    expect(() => vectorsOf('<html>', 1, 2)).toThrow(EmbeddingsUnavailable));
});

it.each([
  ['2', 2_000],
  ['0.5', 500],
  ['Thu, 01 Jan 1970 00:01:00 GMT', 59_000],
  ['Thu, 01 Jan 1970 00:00:00 GMT', 0],
  ['soon', undefined],
  [undefined, undefined],
])('Retry-After: %s is %s ms', (header, ms) => expect(retryAfterMs(header, 1_000)).toBe(ms));
