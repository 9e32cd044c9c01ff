import type { EmbeddingsEnv } from '@app/common';
import { builtinProblem, openBuiltinModel } from './builtin-model.js';
import type { EmbeddingModel } from './embedding-model.js';
import { onnxProblem, openOnnxModel } from './onnx-model.js';

/** Loads the model of the role `embedder`: that of EMBEDDINGS_MODEL_DIR, else the built-in one. @throws ModelUnusable */
export function openModel(env: EmbeddingsEnv): Promise<EmbeddingModel> {
  const { EMBEDDINGS_MODEL_DIR: directory, EMBEDDINGS_MODEL: model, EMBEDDINGS_DIMENSIONS: dimensions } = env;
  return directory ? openOnnxModel({ directory, model, dimensions }) : openBuiltinModel();
}

/** The packages that the model needs and that are not installed, as a sentence; undefined: none. */
export const modelProblem = ({ EMBEDDINGS_MODEL_DIR: directory }: EmbeddingsEnv): string | undefined =>
  directory ? onnxProblem() : builtinProblem();
