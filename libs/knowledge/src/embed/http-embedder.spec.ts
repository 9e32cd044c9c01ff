import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { loadEnv } from '@app/common';
import { answers, EmbeddingsEndpoint, isCut, isSilent } from '../../../../test/support/embeddings-endpoint.js';
import { EmbeddingsRefused, EmbeddingsUnavailable } from './embedder.js';
import { embeddingSettings, type HttpSettings, settingsForRole } from './embedding-settings.js';
import { HTTP_RETRIES, HttpEmbedder, type RetryPolicy, textBatches } from './http-embedder.js';

const IMPATIENT: RetryPolicy = { ...HTTP_RETRIES, tries: 3, firstWaitMs: 1, longestWaitMs: 20, restMs: 60_000 };
const { signal } = new AbortController();
const texts = (count: number): string[] => Array.from({ length: count }, (_, i) => `text number${i}`);

let endpoint: EmbeddingsEndpoint;
let embedder: HttpEmbedder;

function open(given: Record<string, string> = {}, patience: Partial<RetryPolicy> = {}): HttpEmbedder {
  const env = { EMBEDDINGS_URL: endpoint.url, EMBEDDINGS_MODEL: 'ours', EMBEDDINGS_DIMENSIONS: '64', ...given };
  return new HttpEmbedder(embeddingSettings(loadEnv(env)) as HttpSettings, { ...IMPATIENT, ...patience });
}

beforeEach(async () => {
  endpoint = await EmbeddingsEndpoint.start();
  embedder = open();
});

afterEach(async () => {
  await embedder.close();
  await endpoint.close();
});

const cosine = (a: Float32Array | undefined, b: Float32Array): number => {
  const scale = Math.hypot(...b);
  return (a ?? b).reduce((sum, value, i) => sum + (value * (b[i] ?? 0)) / scale, 0);
};

describe('the HTTP embedder', () => {
  it('reaches a loopback endpoint without EGRESS_ALLOW_CIDRS, in concurrent batches, and keeps the order', async () => {
    const all = texts(200);
    const vectors = await embedder.embed(all, signal);
    for (const [i, text] of all.entries()) expect(cosine(vectors[i], endpoint.vectorOf(text))).toBeCloseTo(1, 5);
    expect(endpoint.texts.toSorted()).toEqual(all.toSorted());
    expect(Math.max(...endpoint.requests.map(({ body }) => body.input.length))).toBe(32);
    expect(endpoint.mostOpen).toBeLessThanOrEqual(4);
    expect(endpoint.requests[0]).toMatchObject({
      path: '/v1/embeddings',
      body: { model: 'ours', encoding_format: 'base64' },
    });
    expect(endpoint.requests[0]?.body).not.toHaveProperty('dimensions');
  });

  it('sends the key, the dimensions and the prefixes that the model expects', async () => {
    await embedder.close();
    embedder = open({ EMBEDDINGS_MODEL: 'text-embedding-3-small', EMBEDDINGS_API_KEY: 'secret' });
    await embedder.embedQuery('hello', signal);
    expect(endpoint.requests[0]).toMatchObject({
      headers: { authorization: 'Bearer secret' },
      body: { dimensions: 64 },
    });
    await embedder.close();
    embedder = open({ EMBEDDINGS_MODEL: 'multilingual-e5-small' });
    await embedder.embedQuery('hello', signal);
    await embedder.embed(['world'], signal);
    expect(endpoint.texts.slice(1)).toEqual(['query: hello', 'passage: world']);
    expect(embedder.model).toBe('multilingual-e5-small@64');
  });

  it.each([
    ['429 with Retry-After', answers(429, { 'retry-after': '0' })],
    ['500', answers(500)],
    ['503', answers(503)],
    ['a truncated response', isCut],
    ['an HTML page', answers(200, {}, '<html>')],
  ])('retries after %s', async (_, fault) => {
    endpoint.faults = [fault, fault];
    expect(await embedder.embed(['hello'], signal)).toHaveLength(1);
    expect(endpoint.requests).toHaveLength(3);
  });

  it('asks for no vector of a text in a language that the model does not know', async () => {
    await embedder.close();
    const settings = settingsForRole(
      { url: endpoint.url.replace('/v1', '') },
      { id: 'm', dimensions: 64, languages: ['en'] },
    );
    embedder = new HttpEmbedder(settings, IMPATIENT);
    const vectors = await embedder.embed(['The pool is closed.', 'Das Bad ist zu.', 'It is open in summer.'], signal);
    expect(vectors.map((vector) => vector?.length)).toEqual([64, undefined, 64]);
    expect(await embedder.embedQuery('Wann ist das Bad offen?', signal)).toBeUndefined();
    await embedder.embedQuery('When is the pool open?', signal);
    expect(endpoint.requests.map(({ headers, body }) => [headers['x-embedding-kind'], body.input])).toEqual([
      ['passage', ['The pool is closed.', 'It is open in summer.']],
      ['query', ['When is the pool open?']],
    ]);
  });

  it('still asks questions while the endpoint limits documents', async () => {
    endpoint.faults = [answers(429, { 'retry-after': '3600' })];
    await expect(embedder.embed(['hello'], signal)).rejects.toThrow('answered 429');
    await expect(embedder.embed(['hello'], signal)).rejects.toThrow('are paused');
    expect(await embedder.embedQuery('hello', signal)).toHaveLength(64);
  });

  it('retries after a timeout', async () => {
    await embedder.close();
    embedder = open({}, { batchTimeoutMs: 50 });
    endpoint.faults = [isSilent];
    expect(await embedder.embed(['hello'], signal)).toHaveLength(1);
  });

  it('pauses documents and questions after repeated failures', async () => {
    endpoint.faults = [answers(500), answers(500), answers(500)];
    await expect(embedder.embed(['hello'], signal)).rejects.toThrow(EmbeddingsUnavailable);
    await expect(embedder.embed(['hello'], signal)).rejects.toThrow('are paused');
    await expect(embedder.embedQuery('hello', signal)).rejects.toThrow('are paused');
    expect(endpoint.requests).toHaveLength(3);
  });

  it('does not retry when Retry-After exceeds its limit', async () => {
    endpoint.faults = [answers(429, { 'retry-after': '3600' })];
    await expect(embedder.embed(['hello'], signal)).rejects.toThrow('answered 429 (some_code)');
    expect(endpoint.requests).toHaveLength(1);
  });

  it('pauses after five unanswered questions', async () => {
    endpoint.faults = Array.from({ length: 5 }, () => isSilent);
    for (let attempt = 1; attempt <= 5; attempt++) {
      const stop = new AbortController();
      const question = embedder.embedQuery('hello', stop.signal);
      await endpoint.until(({ length }) => length === attempt);
      stop.abort(new Error('too late'));
      await expect(question).rejects.toThrow('too late');
    }
    await expect(embedder.embedQuery('hello', signal)).rejects.toThrow('are paused');
  });

  it.each([
    [401, 'answered 401 (some_code). Check the key.'],
    [404, 'Check EMBEDDINGS_URL and EMBEDDINGS_MODEL.'],
    [302, 'answered 302'],
    [400, 'answered 400 (some_code)'],
  ])('does not retry after status %d: %s', async (status, message) => {
    endpoint.faults = Array.from({ length: 9 }, () => answers(status));
    const failed = await embedder.embed(['hello'], signal).catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(EmbeddingsRefused);
    expect(String(failed)).toContain(message);
    expect(endpoint.requests.length).toBeLessThanOrEqual(2);
  });

  it('names the variable to set when the dimensions differ', async () => {
    endpoint.dimensions = 32;
    await expect(embedder.embed(['hello'], signal)).rejects.toThrow('set EMBEDDINGS_DIMENSIONS=32');
  });

  it('falls back to numbers if the endpoint does not support base64', async () => {
    endpoint.faults = [answers(400)];
    expect(await embedder.embed(['hello'], signal)).toHaveLength(1);
    await embedder.embed(['world'], signal);
    expect(endpoint.requests.map(({ body }) => body.encoding_format)).toEqual(['base64', undefined, undefined]);
  });

  it('embeds the other texts if the endpoint rejects one', async () => {
    const refusing = (request: { body: { input: string[] } }): boolean => request.body.input.includes('text number7');
    await embedder.embed(['hello'], signal);
    endpoint.faults = Array.from(
      { length: 40 },
      () => (request, response) => refusing(request) && answers(413)(request, response),
    );
    const vectors = await embedder.embed(texts(20), signal);
    expect(vectors.flatMap((vector, i) => (vector ? [] : [i]))).toEqual([7]);
  });

  it('closes its requests when the work is aborted', async () => {
    const stop = new AbortController();
    endpoint.faults = Array.from({ length: 9 }, () => isSilent);
    const work = embedder.embed(texts(200), stop.signal);
    await endpoint.until(({ length }) => length === 4);
    stop.abort(new Error('given up'));
    await expect(work).rejects.toThrow('given up');
    expect(endpoint.requests).toHaveLength(4);
  });
});

it.each<[string, string[], string[][]]>([
  ['no texts, no batches', [], []],
  ['the number of texts is limited', ['a', 'b', 'c', 'd'], [['a', 'b', 'c'], ['d']]],
  [
    'the number of tokens is limited',
    ['x'.repeat(15), 'y'.repeat(12), 'z'.repeat(6)],
    [['x'.repeat(15), 'y'.repeat(12)], ['z'.repeat(6)]],
  ],
  ['a text that is too long is a separate batch', ['a', 'x'.repeat(300), 'b'], [['a'], ['x'.repeat(300)], ['b']]],
  [
    'tokens are estimated by bytes',
    ['日本語', '日本語', '日本語', '日本語'],
    [['日本語', '日本語', '日本語'], ['日本語']],
  ],
])('texts are grouped into batches: %s', (_, texts, batches) =>
  expect(textBatches(texts, { texts: 3, tokens: 9 })).toEqual(batches),
);
