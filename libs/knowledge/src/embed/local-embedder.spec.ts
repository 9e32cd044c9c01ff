import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createLog, loadEnv } from '@app/common';
import { embeddingSettings, type LocalSettings } from './embedding-settings.js';
import { LocalEmbeddingsUnusable, openLocalEmbedder } from './local-embedder.js';
import type { EmbeddingCacheRepository } from './embedding-cache.repository.js';
import { EmbeddingsService } from './embeddings.service.js';

const { signal } = new AbortController();
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'e5-small'));
  await writeFile(join(folder, 'config.json'), JSON.stringify({ hidden_size: 2 }));
});
afterAll(() => rm(folder, { recursive: true }));

const settings = (given: Record<string, string> = {}): LocalSettings =>
  embeddingSettings(
    loadEnv({ EMBEDDINGS_PROVIDER: 'local', EMBEDDINGS_MODEL_DIR: folder, EMBEDDINGS_MODEL: 'e5-small', ...given }),
  ) as LocalSettings;

/** The used part of `@huggingface/transformers`; records its calls. */
function fakeTransformers(vector = [3, 4]) {
  const calls: unknown[] = [];
  const env = { allowRemoteModels: true, allowLocalModels: false, localModelPath: '' };
  const extract = (texts: string[], options: unknown) => {
    calls.push([texts, options]);
    return Promise.resolve({ data: texts.flatMap(() => vector), dims: [texts.length, vector.length] });
  };
  const pipeline = (task: string, model: string, options: unknown) => {
    calls.push([task, model, options]);
    return Promise.resolve(Object.assign(extract, { dispose: () => Promise.resolve(calls.push('dispose')) }));
  };
  return { calls, env, load: () => Promise.resolve({ env, pipeline }) };
}

describe('the local embedder', () => {
  it('opens a model without any download and returns unit vectors', async () => {
    const { calls, env, load } = fakeTransformers();
    const embedder = await openLocalEmbedder(settings(), load);
    expect(embedder).toMatchObject({ model: 'e5-small@2', dimensions: 2 });
    expect(env).toEqual({ allowRemoteModels: false, allowLocalModels: true, localModelPath: tmpdir() });
    expect(await embedder.embed(['a'], signal)).toEqual([Float32Array.from([0.6, 0.8])]);
    await embedder.embedQuery('b', signal);
    await embedder.close();
    expect(calls).toEqual([
      ['feature-extraction', folder.slice(tmpdir().length + 1), { local_files_only: true }],
      [['passage: a'], { pooling: 'mean', normalize: true }],
      [['query: b'], { pooling: 'mean', normalize: true }],
      'dispose',
    ]);
  });

  it('rejects a model whose vectors differ from EMBEDDINGS_DIMENSIONS', async () => {
    const embedder = await openLocalEmbedder(settings({ EMBEDDINGS_DIMENSIONS: '8' }), fakeTransformers().load);
    await expect(embedder.embed(['a'], signal)).rejects.toThrow('gives 1 x 2 numbers for 1 texts, not 8 each');
  });

  it('names the folder of a missing model', async () => {
    const opened = openLocalEmbedder(settings({ EMBEDDINGS_MODEL_DIR: '/nowhere' }), fakeTransformers().load);
    await expect(opened).rejects.toThrow('EMBEDDINGS_MODEL_DIR=/nowhere: the model has no config.json');
  });

  it('names the package to install if it is missing, as it is in this repository', async () => {
    const env = loadEnv({ EMBEDDINGS_PROVIDER: 'local', EMBEDDINGS_MODEL_DIR: folder });
    const log = createLog({ level: 'silent', role: 'test' });
    const opened = new EmbeddingsService({} as EmbeddingCacheRepository, env, log).onModuleInit();
    await expect(opened).rejects.toThrow(LocalEmbeddingsUnusable);
    await expect(opened).rejects.toThrow('npm install @huggingface/transformers@3');
  });
});
