import { Semaphore } from '@app/common';
import { readFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { z } from 'zod';
import { type ClosableEmbedder, EmbeddingsRefused, normalise } from './embedder.js';
import type { LocalSettings } from './embedding-settings.js';

/** The used part of `@huggingface/transformers` 3, an optional peer dependency: 474 MB with its native runtime. */
interface Transformers {
  env: { allowRemoteModels: boolean; allowLocalModels: boolean; localModelPath: string };
  pipeline(task: 'feature-extraction', model: string, options: { local_files_only: boolean }): Promise<Extractor>;
}

interface Extractor {
  (
    texts: string[],
    options: { pooling: 'mean' | 'cls'; normalize: boolean },
  ): Promise<{
    data: ArrayLike<number>;
    dims: number[];
  }>;
  dispose(): Promise<unknown>;
}

const PACKAGE = '@huggingface/transformers';
/** Texts per run of the model: larger runs are not faster on a CPU, and a run cannot be aborted. */
const TEXTS_PER_RUN = 8;

export class LocalEmbeddingsUnusable extends Error {
  override readonly name = 'LocalEmbeddingsUnusable';
}

/** Opens the model in a folder without any download. @throws LocalEmbeddingsUnusable, whose message names what is missing. */
export async function openLocalEmbedder(
  settings: LocalSettings,
  load = (): Promise<unknown> => import(PACKAGE),
): Promise<ClosableEmbedder> {
  const transformers = (await load().catch((error: unknown) => {
    const remedy = `which is not part of the installation: npm install ${PACKAGE}@3`;
    throw new LocalEmbeddingsUnusable(`EMBEDDINGS_PROVIDER=local needs the package ${PACKAGE}, ${remedy}`, {
      cause: error,
    });
  })) as Transformers;
  const directory = resolve(settings.directory);
  const dimensions = settings.dimensions ?? (await hiddenSize(directory));
  transformers.env.allowRemoteModels = false;
  transformers.env.allowLocalModels = true;
  transformers.env.localModelPath = dirname(directory);
  const model = await transformers
    .pipeline('feature-extraction', basename(directory), { local_files_only: true })
    .catch((error: unknown) => {
      throw unusable(directory, 'cannot be loaded', error);
    });
  return new LocalEmbedder(settings, dimensions, model);
}

async function hiddenSize(directory: string): Promise<number> {
  try {
    const config: unknown = JSON.parse(await readFile(join(directory, 'config.json'), 'utf8'));
    return z.object({ hidden_size: z.number().int().min(1) }).parse(config).hidden_size;
  } catch (error) {
    throw unusable(directory, 'has no config.json with a hidden_size', error);
  }
}

const unusable = (directory: string, what: string, cause: unknown): Error =>
  new LocalEmbeddingsUnusable(`EMBEDDINGS_MODEL_DIR=${directory}: the model ${what}.`, { cause });

class LocalEmbedder implements ClosableEmbedder {
  readonly model: string;
  /** One run at a time: the runtime uses several threads itself. */
  private readonly permits = new Semaphore(1);

  constructor(
    private readonly settings: LocalSettings,
    readonly dimensions: number,
    private readonly extract: Extractor,
  ) {
    this.model = `${settings.model}@${dimensions}`;
  }

  async embed(texts: readonly string[], signal: AbortSignal): Promise<(Float32Array | undefined)[]> {
    const vectors: (Float32Array | undefined)[] = [];
    for (let from = 0; from < texts.length; from += TEXTS_PER_RUN) {
      const some = texts.slice(from, from + TEXTS_PER_RUN);
      vectors.push(...(await this.run(some, this.settings.facts.passagePrefix, signal)));
    }
    return vectors;
  }

  async embedQuery(text: string, signal: AbortSignal): Promise<Float32Array> {
    const [vector] = await this.run([text], this.settings.facts.queryPrefix, signal);
    if (vector) return vector;
    throw new EmbeddingsRefused('The model returned no vector for the question.');
  }

  async close(): Promise<void> {
    await this.extract.dispose();
  }

  private run(texts: string[], prefix: string, signal: AbortSignal): Promise<(Float32Array | undefined)[]> {
    return this.permits.run(async () => {
      signal.throwIfAborted();
      const prefixed = texts.map((text) => prefix + text);
      const { data, dims } = await this.extract(prefixed, { pooling: this.settings.facts.pooling, normalize: true });
      signal.throwIfAborted();
      return rowsOf(Float32Array.from(data), dims, texts.length, this.dimensions);
    });
  }
}

function rowsOf(data: Float32Array, dims: number[], texts: number, dimensions: number): (Float32Array | undefined)[] {
  if (dims.length !== 2 || dims[0] !== texts || dims[1] !== dimensions)
    throw new EmbeddingsRefused(
      `The model gives ${dims.join(' x ')} numbers for ${texts} texts, not ${dimensions} each.`,
    );
  return Array.from({ length: texts }, (_, row) => normalise(data.slice(row * dimensions, (row + 1) * dimensions)));
}
