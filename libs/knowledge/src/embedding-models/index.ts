export { KIND_HEADER } from '../embed/wire-formats.js';
export { type EmbeddingModel, ModelStopped } from './embedding-model.js';
export { EmbeddingQueue, QueueFull } from './embedding-queue.js';
export {
  embeddingsResponse,
  errorBody,
  InvalidRequest,
  modelsResponse,
  readEmbeddingsRequest,
  REQUEST_LIMITS,
} from './embeddings-request.js';
export { modelProblem, openModel } from './open-model.js';
