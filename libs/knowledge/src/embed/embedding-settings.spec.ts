import { describe, expect, it } from '@jest/globals';
import { loadEnv, MissingSetting } from '@app/common';
import { vectorsOf } from './embedding-request.js';
import { embeddingSettings, type HttpSettings } from './embedding-settings.js';

const settings = (given: Record<string, string>) => embeddingSettings(loadEnv(given));
const http = (given: Record<string, string>) => settings(given) as HttpSettings;

describe('the embedding settings', () => {
  it.each<[Record<string, string>, string | undefined]>([
    [{}, undefined],
    [{ EMBEDDINGS_PROVIDER: 'none', OPENAI_API_KEY: 'k' }, undefined],
    [{ EMBEDDINGS_API_KEY: 'k' }, undefined],
    [{ EMBEDDER_URL: 'http://embedder:3010' }, 'embedder'],
    [{ EMBEDDER_URL: 'http://embedder:3010', OPENAI_API_KEY: 'k' }, 'openai'],
    [{ EMBEDDER_URL: 'http://embedder:3010', OPENAI_API_KEY: 'k', EMBEDDINGS_PROVIDER: 'embedder' }, 'embedder'],
    [{ EMBEDDER_URL: 'http://embedder:3010', EMBEDDINGS_PROVIDER: 'none' }, undefined],
    [{ COHERE_API_KEY: 'k' }, 'cohere'],
    [{ OPENAI_API_KEY: 'k' }, 'openai'],
    [{ EMBEDDINGS_URL: 'http://tei/v1', EMBEDDINGS_MODEL: 'bge-m3' }, 'openai'],
    [{ EMBEDDINGS_PROVIDER: 'openai', EMBEDDINGS_API_KEY: 'k' }, 'openai'],
  ])('for %j select the provider %s', (given, provider) => expect(settings(given)?.provider).toBe(provider));

  it.each([
    ['https://api.openai.com/v1', 'https://api.openai.com/v1/embeddings'],
    ['http://localhost:11434', 'http://localhost:11434/v1/embeddings'],
    ['http://localhost:8080/', 'http://localhost:8080/v1/embeddings'],
    ['http://vllm:8000/v1/', 'http://vllm:8000/v1/embeddings'],
    ['http://tei/v1/embeddings', 'http://tei/v1/embeddings'],
    [
      'https://x.openai.azure.com/openai/deployments/d/embeddings?api-version=2024-10-21',
      'https://x.openai.azure.com/openai/deployments/d/embeddings?api-version=2024-10-21',
    ],
    [
      'https://x.openai.azure.com/openai/v1?api-version=preview',
      'https://x.openai.azure.com/openai/v1/embeddings?api-version=preview',
    ],
  ])('send requests for %s to %s', (EMBEDDINGS_URL, url) =>
    expect(http({ EMBEDDINGS_URL, EMBEDDINGS_MODEL: 'bge-m3' }).url).toBe(url),
  );

  it.each([
    [{ OPENAI_API_KEY: 'a' }, { authorization: 'Bearer a' }],
    [{ OPENAI_API_KEY: 'a', EMBEDDINGS_API_KEY: 'b' }, { authorization: 'Bearer b' }],
    [
      { OPENAI_API_KEY: 'a', EMBEDDINGS_URL: 'https://x.openai.azure.com/openai/v1', EMBEDDINGS_MODEL: 'bge-m3' },
      { 'api-key': 'a' },
    ],
  ])('for %j send the key as %j', (given, shown) => {
    const { headers } = http(given);
    expect(headers).toMatchObject(shown);
    expect(Object.keys(headers).filter((name) => /key|auth/.test(name))).toEqual(Object.keys(shown));
  });

  it.each<[Record<string, string>, number, boolean]>([
    [{ OPENAI_API_KEY: 'k' }, 1536, false],
    [{ OPENAI_API_KEY: 'k', EMBEDDINGS_DIMENSIONS: '512' }, 512, true],
    [{ OPENAI_API_KEY: 'k', EMBEDDINGS_MODEL: 'text-embedding-3-large' }, 3072, false],
    [{ EMBEDDINGS_URL: 'http://o', EMBEDDINGS_MODEL: 'nomic-embed-text:latest' }, 768, false],
    [{ EMBEDDINGS_URL: 'http://o', EMBEDDINGS_MODEL: 'intfloat/multilingual-e5-large' }, 1024, false],
    [{ EMBEDDINGS_URL: 'http://o', EMBEDDINGS_MODEL: 'ours', EMBEDDINGS_DIMENSIONS: '77' }, 77, false],
  ])('for %j mean %d dimensions, part of the request: %s', (given, dimensions, requestsDimensions) =>
    expect(http(given)).toMatchObject({ dimensions, requestsDimensions }),
  );

  it('require EMBEDDINGS_DIMENSIONS for an unknown model', () => {
    const load = () => settings({ EMBEDDINGS_URL: 'http://o', EMBEDDINGS_MODEL: 'ours' });
    expect(load).toThrow(MissingSetting);
    expect(load).toThrow('EMBEDDINGS_DIMENSIONS');
  });

  it('require EMBEDDER_URL for the role embedder', () =>
    expect(() => settings({ EMBEDDINGS_PROVIDER: 'embedder' })).toThrow('EMBEDDER_URL is required'));
});

/** By the vendors' references; no test reaches the vendors. */
describe('requests to vendors', () => {
  const VENDORS: [Record<string, string>, string, Record<string, string>, object, object][] = [
    [
      { OPENAI_API_KEY: 'k' },
      'https://api.openai.com/v1/embeddings',
      { authorization: 'Bearer k' },
      { model: 'text-embedding-3-small', input: ['a'], encoding_format: 'base64' },
      { data: [{ index: 0, embedding: [3, 4] }] },
    ],
    [
      { GEMINI_API_KEY: 'k' },
      'https://generativelanguage.googleapis.com/v1beta/models/gemini-embedding-001:batchEmbedContents',
      { 'x-goog-api-key': 'k' },
      {
        requests: [
          {
            model: 'models/gemini-embedding-001',
            content: { parts: [{ text: 'a' }] },
            taskType: 'RETRIEVAL_QUERY',
            outputDimensionality: 1536,
          },
        ],
      },
      { embeddings: [{ values: [3, 4] }] },
    ],
    [
      { MISTRAL_API_KEY: 'k' },
      'https://api.mistral.ai/v1/embeddings',
      { authorization: 'Bearer k' },
      { model: 'mistral-embed', input: ['a'] },
      { data: [{ index: 0, embedding: [3, 4], object: 'embedding' }] },
    ],
    [
      { COHERE_API_KEY: 'k', EMBEDDINGS_DIMENSIONS: '512' },
      'https://api.cohere.com/v2/embed',
      { authorization: 'Bearer k' },
      {
        model: 'embed-v4.0',
        texts: ['a'],
        input_type: 'search_query',
        embedding_types: ['float'],
        output_dimension: 512,
      },
      { id: 'x', embeddings: { float: [[3, 4]] }, texts: ['a'] },
    ],
    [
      { VOYAGE_API_KEY: 'k' },
      'https://api.voyageai.com/v1/embeddings',
      { authorization: 'Bearer k' },
      { model: 'voyage-3.5', input: ['a'], input_type: 'query' },
      { object: 'list', data: [{ index: 0, embedding: [3, 4] }] },
    ],
  ];

  it.each(VENDORS)('with %j go to %s', (given, url, shown, body, answer) => {
    const { format, headers, model, dimensions, requestsDimensions, ...sent } = http(given);
    expect(sent.url).toBe(url);
    expect(headers).toMatchObject(shown);
    const wanted = requestsDimensions ? dimensions : undefined;
    expect(format.body({ model, texts: ['a'], kind: 'query', dimensions: wanted, base64: true })).toEqual(body);
    expect(vectorsOf(JSON.stringify(answer), 1, { dimensions: 2, format })).toEqual([Float32Array.from([0.6, 0.8])]);
  });

  it.each([
    [{ GEMINI_API_KEY: 'k' }, 'taskType":"RETRIEVAL_DOCUMENT"'],
    [{ COHERE_API_KEY: 'k' }, 'input_type":"search_document"'],
    [{ VOYAGE_API_KEY: 'k' }, 'input_type":"document"'],
  ])('with %j mark passages: %s', (given, marked) => {
    const { format, model } = http(given);
    const body = format.body({ model, texts: ['a'], kind: 'passage', dimensions: undefined, base64: false });
    expect(JSON.stringify(body)).toContain(marked);
  });
});
