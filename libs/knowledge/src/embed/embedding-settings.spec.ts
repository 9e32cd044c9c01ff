import { describe, expect, it } from '@jest/globals';
import { loadEnv, MissingSetting } from '@app/common';
import { embeddingSettings, type HttpSettings } from './embedding-settings.js';

const settings = (given: Record<string, string>) => embeddingSettings(loadEnv(given));
const http = (given: Record<string, string>) => settings(given) as HttpSettings;

describe('the embedding settings', () => {
  it.each<[Record<string, string>, string | undefined]>([
    [{}, undefined],
    [{ EMBEDDINGS_PROVIDER: 'none', OPENAI_API_KEY: 'k' }, undefined],
    [{ EMBEDDINGS_API_KEY: 'k' }, undefined],
    [{ OPENAI_API_KEY: 'k' }, 'openai'],
    [{ EMBEDDINGS_URL: 'http://tei/v1', EMBEDDINGS_MODEL: 'bge-m3' }, 'openai'],
    [{ EMBEDDINGS_PROVIDER: 'openai', EMBEDDINGS_API_KEY: 'k' }, 'openai'],
    [{ EMBEDDINGS_PROVIDER: 'local', EMBEDDINGS_MODEL_DIR: '/m/e5-small' }, 'local'],
    [{ EMBEDDINGS_PROVIDER: 'builtin', OPENAI_API_KEY: 'k', EMBEDDINGS_URL: 'http://tei/v1' }, 'builtin'],
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
});
