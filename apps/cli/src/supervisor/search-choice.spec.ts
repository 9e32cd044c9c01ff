import { expect, it } from '@jest/globals';
import { loadEnv } from '@app/common';
import { chooseSearch } from './search-choice.js';

const noProblem = (): undefined => undefined;

it.each<[Record<string, string>, string | null]>([
  [{ EMBEDDINGS_PROVIDER: 'none' }, null],
  [{ OPENAI_API_KEY: 'k' }, 'openai'],
  [{ EMBEDDINGS_URL: 'http://tei/v1', EMBEDDINGS_MODEL: 'bge-m3' }, 'openai'],
  [{ EMBEDDER_URL: 'http://10.0.0.7:3010' }, 'embedder'],
])('start runs no embedder with %j', async (given, provider) => {
  const search = await chooseSearch(loadEnv(given), noProblem);
  expect(search).toMatchObject({ provider });
  expect(search.embedder).toBeUndefined();
});

it.each<[Record<string, string>, RegExp]>([
  [{}, /^http:\/\/127\.0\.0\.1:\d+$/],
  [{ OPENAI_API_KEY: 'k', EMBEDDINGS_PROVIDER: 'embedder' }, /^http:\/\/127\.0\.0\.1:\d+$/],
  [{ EMBEDDER_HOST: '0.0.0.0' }, /^http:\/\/127\.0\.0\.1:\d+$/],
])('start runs the embedder with %j', async (given, url) => {
  const { provider, reason, embedder } = await chooseSearch(loadEnv(given), noProblem);
  expect([provider, reason]).toEqual(['embedder', null]);
  expect(embedder?.url).toMatch(url);
});

it('start goes on without the embedder when its packages are missing, and says why', async () => {
  const search = await chooseSearch(loadEnv({}), () => 'the built-in model needs optional packages');
  expect(search).toEqual({ provider: null, reason: 'the built-in model needs optional packages' });
});
