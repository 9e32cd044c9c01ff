import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createLog, loadEnv } from '@app/common';
import { EmbeddingQueue, REQUEST_LIMITS } from '@app/knowledge/embedding-models';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { Test } from '@nestjs/testing';
import OpenAI from 'openai';
import { EmbedderModule } from './embedder.module.js';
import { EmbeddingModelService } from './embedding-model.service.js';
import { ModelNotLoaded } from './openai-errors.filter.js';

/** The vector of a text begins with its length; `broken` fails. */
const model = {
  id: 'lengths',
  dimensions: 2,
  languages: ['en'],
  embed: (text: string) =>
    text === 'broken' ? Promise.reject(new Error('secret')) : Promise.resolve(Float32Array.from([text.length, 0.5])),
  close: () => Promise.resolve(),
};

let app: NestExpressApplication;
let base: string;
let models: { current: { model: typeof model; queue: EmbeddingQueue } };

beforeAll(async () => {
  models = { current: { model, queue: new EmbeddingQueue(model, { query: 2, passage: 3 }) } };
  const log = createLog({ level: 'silent', role: 'test' });
  const module = await Test.createTestingModule({ imports: [EmbedderModule.forRoot(loadEnv({}), log)] })
    .overrideProvider(EmbeddingModelService)
    .useValue(models)
    .compile();
  app = module.createNestApplication<NestExpressApplication>({ bodyParser: false, logger: false });
  app.useBodyParser('json', { limit: REQUEST_LIMITS.bodyBytes });
  await app.listen(0, '127.0.0.1');
  base = await app.getUrl();
});
afterAll(() => app.close());

async function posted(body: unknown, headers: Record<string, string> = {}) {
  const response = await fetch(`${base}/v1/embeddings`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  return { status: response.status, headers: response.headers, body: await response.json() };
}

describe('the embedder', () => {
  it("answers OpenAI's client, which requests base64 by default", async () => {
    const client = new OpenAI({ baseURL: `${base}/v1`, apiKey: 'none' });
    const { data } = await client.embeddings.create({ model: 'lengths', input: ['one', 'three'] });
    expect(data.map(({ index, embedding }) => [index, ...embedding])).toEqual([
      [0, 3, 0.5],
      [1, 5, 0.5],
    ]);
    const [listed] = (await client.models.list()).data;
    expect(listed).toMatchObject({ id: 'lengths', dimensions: 2, languages: ['en'] });
  });

  it('takes a single text, and a question', async () => {
    const { status, body } = await posted({ input: 'four' }, { 'x-embedding-kind': 'query' });
    expect([status, body]).toEqual([
      200,
      {
        object: 'list',
        data: [{ object: 'embedding', index: 0, embedding: [4, 0.5] }],
        model: 'lengths',
        usage: { prompt_tokens: 0, total_tokens: 0 },
      },
    ]);
  });

  it.each<[string, unknown, Record<string, string>, number, object]>([
    ['no text', {}, {}, 400, { param: 'input' }],
    ['an empty text', { input: ['a', ''] }, {}, 400, { param: 'input' }],
    ['tokens', { input: [1, 2] }, {}, 400, { param: 'input' }],
    ['too many texts', { input: new Array(129).fill('a') }, {}, 400, { param: 'input' }],
    ['a text that is too long', { input: 'a'.repeat(32_001) }, {}, 400, { param: 'input' }],
    ['another length of vectors', { input: 'a', dimensions: 3 }, {}, 400, { param: 'dimensions' }],
    ['an unknown format', { input: 'a', encoding_format: 'hex' }, {}, 400, { param: 'encoding_format' }],
    ['an unknown kind', { input: 'a' }, { 'x-embedding-kind': 'x' }, 400, { param: 'x-embedding-kind' }],
    ['another model', { input: 'a', model: 'gpt' }, {}, 404, { param: 'model', code: 'model_not_found' }],
    ['a list as body', [], {}, 400, { param: null }],
    ['a body that is not JSON', '{"input":', {}, 400, { message: 'The body must be JSON.' }],
    ['a body that is too long', { input: 'a'.repeat(2_200_000) }, {}, 413, { type: 'invalid_request_error' }],
    ['a text that the model rejects', { input: 'broken' }, {}, 422, { code: 'text_rejected' }],
  ])("refuses %s in the shape of OpenAI's errors", async (_, body, headers, status, error) => {
    const refused = await posted(body, headers);
    expect([refused.status, refused.body]).toEqual([status, { error: expect.objectContaining(error) }]);
  });

  it('refuses further texts when its queue is full, and says when to try again', async () => {
    const { status, headers, body } = await posted({ input: ['a', 'b', 'c', 'd'] });
    expect([status, headers.get('retry-after')]).toEqual([429, '1']);
    expect(body).toEqual({ error: expect.objectContaining({ type: 'rate_limit_error', code: 'queue_full' }) });
  });

  it('is unavailable while the model is loading', async () => {
    const loaded = models.current;
    Object.defineProperty(models, 'current', {
      configurable: true,
      get: () => {
        throw new ModelNotLoaded('The model is loading.');
      },
    });
    const { status, headers, body } = await posted({ input: 'a' });
    Object.defineProperty(models, 'current', { value: loaded });
    expect([status, headers.get('retry-after')]).toEqual([503, '1']);
    expect(body).toEqual({ error: expect.objectContaining({ code: 'model_not_loaded' }) });
  });

  it('names its two addresses for any other', async () => {
    const response = await fetch(`${base}/v1/chat/completions`, { method: 'POST' });
    expect([response.status, await response.json()]).toMatchObject([
      404,
      { error: { message: expect.stringContaining('POST /v1/embeddings') } },
    ]);
  });
});
