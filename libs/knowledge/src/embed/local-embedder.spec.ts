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

/** As much of `@huggingface/transformers` as is used, writing down what it is asked for. */
function fakeTransformers(vector = [3, 4]) {
  const asked: unknown[] = [];
  const env = { allowRemoteModels: true, allowLocalModels: false, localModelPath: '' };
  const extract = (texts: string[], options: unknown) => {
    asked.push([texts, options]);
    return Promise.resolve({ data: texts.flatMap(() => vector), dims: [texts.length, vector.length] });
  };
  const pipeline = (task: string, model: string, options: unknown) => {
    asked.push([task, model, options]);
    return Promise.resolve(Object.assign(extract, { dispose: () => Promise.resolve(asked.push('dispose')) }));
  };
  return { asked, env, load: () => Promise.resolve({ env, pipeline }) };
}

describe('a model in a folder', () => {
  it('is opened without any download and gives vectors 1 long', async () => {
    const { asked, env, load } = fakeTransformers();
    const embedder = await openLocalEmbedder(settings(), load);
    expect(embedder).toMatchObject({ model: 'e5-small@2', dimensions: 2 });
    expect(env).toEqual({ allowRemoteModels: false, allowLocalModels: true, localModelPath: tmpdir() });
    expect(await embedder.embed(['a'], signal)).toEqual([Float32Array.from([0.6, 0.8])]);
    await embedder.embedQuery('b', signal);
    await embedder.close();
    expect(asked).toEqual([
      ['feature-extraction', folder.slice(tmpdir().length + 1), { local_files_only: true }],
      [['passage: a'], { pooling: 'mean', normalize: true }],
      [['query: b'], { pooling: 'mean', normalize: true }],
      'dispose',
    ]);
  });

  it('that gives another length than configured is refused', async () => {
    const embedder = await openLocalEmbedder(settings({ EMBEDDINGS_DIMENSIONS: '8' }), fakeTransformers().load);
    await expect(embedder.embed(['a'], signal)).rejects.toThrow('gives 1 x 2 numbers for 1 texts, not 8 each');
  });

  it('that is not there is said with its folder', async () => {
    const opened = openLocalEmbedder(settings({ EMBEDDINGS_MODEL_DIR: '/nowhere' }), fakeTransformers().load);
    await expect(opened).rejects.toThrow('EMBEDDINGS_MODEL_DIR=/nowhere: the model has no config.json');
  });

  it('says what to install when the package is not there, as it is not here', async () => {
    const env = loadEnv({ EMBEDDINGS_PROVIDER: 'local', EMBEDDINGS_MODEL_DIR: folder });
    const log = createLog({ level: 'silent', role: 'test' });
    const opened = new EmbeddingsService({} as EmbeddingCacheRepository, env, log).onModuleInit();
    await expect(opened).rejects.toThrow(LocalEmbeddingsUnusable);
    await expect(opened).rejects.toThrow('npm install @huggingface/transformers@3');
  });
});
