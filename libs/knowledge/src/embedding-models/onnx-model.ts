import { access, readFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { z } from 'zod';
import { factsOf, type ModelFacts } from '../embed/model-facts.js';
import type { TextKind } from '../embed/wire-formats.js';
import { type EmbeddingModel, isInstalled, ModelUnusable } from './embedding-model.js';

/** The used part of `@huggingface/transformers` 3, an optional peer dependency: 380 MB with its native runtime. */
interface Transformers {
  env: { allowRemoteModels: boolean; allowLocalModels: boolean; localModelPath: string };
  pipeline(
    task: 'feature-extraction',
    model: string,
    options: { local_files_only: boolean; dtype: string },
  ): Promise<Extractor>;
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

interface OnnxSettings {
  directory: string;
  /** Absent: the name of the folder. */
  model?: string | undefined;
  /** Absent: the value of the model's config.json. */
  dimensions?: number | undefined;
}

const PACKAGE = '@huggingface/transformers';
const PROBLEM = `a model in EMBEDDINGS_MODEL_DIR needs a package that is not installed: npm install --no-save --ignore-scripts ${PACKAGE}@3`;

/** Its package is optional: a sentence if it is missing. Undefined: it is there. */
export const onnxProblem = (): string | undefined => (isInstalled(PACKAGE) ? undefined : PROBLEM);

/**
 * Opens the ONNX model in a folder without any download. Of `onnx/model_quantized.onnx` and `onnx/model.onnx` the first is taken: a
 * quarter of the memory. @throws ModelUnusable
 */
export async function openOnnxModel(
  { directory, model, dimensions }: OnnxSettings,
  load = (): Promise<unknown> => import(PACKAGE),
): Promise<EmbeddingModel> {
  const transformers = (await load().catch((cause: unknown) => {
    throw new ModelUnusable(PROBLEM, { cause });
  })) as Transformers;
  const folder = resolve(directory);
  const length = dimensions ?? (await hiddenSize(folder));
  transformers.env.allowRemoteModels = false;
  transformers.env.allowLocalModels = true;
  transformers.env.localModelPath = dirname(folder);
  const extract = await transformers
    .pipeline('feature-extraction', basename(folder), { local_files_only: true, dtype: await dtypeOf(folder) })
    .catch((error: unknown) => {
      throw unusable(folder, 'cannot be loaded', error);
    });
  return new OnnxModel(model ?? basename(folder), length, extract);
}

/** The names that `@huggingface/transformers` gives to the files of a model. */
async function dtypeOf(folder: string): Promise<'q8' | 'fp32'> {
  return access(join(folder, 'onnx/model_quantized.onnx')).then(
    () => 'q8',
    () => 'fp32',
  );
}

async function hiddenSize(folder: string): Promise<number> {
  try {
    const config: unknown = JSON.parse(await readFile(join(folder, 'config.json'), 'utf8'));
    return z.object({ hidden_size: z.number().int().min(1) }).parse(config).hidden_size;
  } catch (error) {
    throw unusable(folder, 'has no config.json with a hidden_size', error);
  }
}

const unusable = (folder: string, what: string, cause: unknown): Error =>
  new ModelUnusable(`EMBEDDINGS_MODEL_DIR=${folder}: the model ${what}.`, { cause });

class OnnxModel implements EmbeddingModel {
  readonly languages?: readonly string[];
  private readonly facts: ModelFacts;

  constructor(
    readonly id: string,
    readonly dimensions: number,
    private readonly extract: Extractor,
  ) {
    this.facts = factsOf(id);
    if (this.facts.languages) this.languages = this.facts.languages;
  }

  async embed(text: string, kind: TextKind): Promise<Float32Array> {
    const { queryPrefix, passagePrefix, pooling } = this.facts;
    const prefixed = (kind === 'query' ? queryPrefix : passagePrefix) + text;
    const { data, dims } = await this.extract([prefixed], { pooling, normalize: true });
    if (dims.at(-1) === this.dimensions && data.length === this.dimensions) return Float32Array.from(data);
    throw new ModelUnusable(
      `The model returns ${data.length} numbers for a text, not ${this.dimensions}: set EMBEDDINGS_DIMENSIONS=${data.length}.`,
    );
  }

  async close(): Promise<void> {
    await this.extract.dispose();
  }
}
