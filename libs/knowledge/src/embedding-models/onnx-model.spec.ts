import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openOnnxModel } from './onnx-model.js';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'e5-small'));
  await writeFile(join(folder, 'config.json'), JSON.stringify({ hidden_size: 2 }));
});
afterAll(() => rm(folder, { recursive: true }));

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

describe('a model in a folder', () => {
  it('is opened without any download, and gets the prefixes that it expects by its name', async () => {
    const { calls, env, load } = fakeTransformers();
    const model = await openOnnxModel({ directory: folder, model: 'e5-small' }, load);
    expect(model).toMatchObject({ id: 'e5-small', dimensions: 2, languages: ['en'] });
    expect(env).toEqual({ allowRemoteModels: false, allowLocalModels: true, localModelPath: tmpdir() });
    expect(await model.embed('a', 'passage')).toEqual(Float32Array.from([3, 4]));
    await model.embed('b', 'query');
    await model.close();
    expect(calls).toEqual([
      ['feature-extraction', basename(folder), { local_files_only: true, dtype: 'fp32' }],
      [['passage: a'], { pooling: 'mean', normalize: true }],
      [['query: b'], { pooling: 'mean', normalize: true }],
      'dispose',
    ]);
  });

  it('is refused if its vectors differ from EMBEDDINGS_DIMENSIONS', async () => {
    const model = await openOnnxModel({ directory: folder, dimensions: 8 }, fakeTransformers().load);
    await expect(model.embed('a', 'passage')).rejects.toThrow('not 8: set EMBEDDINGS_DIMENSIONS=2');
  });

  it('is named with its folder if it is missing', async () => {
    const opened = openOnnxModel({ directory: '/nowhere' }, fakeTransformers().load);
    await expect(opened).rejects.toThrow('EMBEDDINGS_MODEL_DIR=/nowhere: the model has no config.json');
  });

  it('names the package to install if it is missing', async () => {
    const opened = openOnnxModel({ directory: folder }, () => Promise.reject(new Error('Cannot find package')));
    await expect(opened).rejects.toThrow('npm install --no-save --ignore-scripts @huggingface/transformers@3');
  });
});
