import { bytesOf } from '../embed/embedder.js';
import { KIND_HEADER, type TextKind } from '../embed/wire-formats.js';
import type { EmbeddingModel } from './embedding-model.js';

export const REQUEST_LIMITS = { bodyBytes: 2 * 1024 * 1024, texts: 128, textLength: 32_000 };

/** A request that is wrong, in the words of OpenAI's errors. */
export class InvalidRequest extends Error {
  override readonly name = 'InvalidRequest';

  constructor(
    message: string,
    /** The wrong field of the body, or header. */
    readonly param: string | null,
    readonly status = 400,
    readonly code: string | null = null,
  ) {
    super(message);
  }
}

interface EmbeddingsRequest {
  texts: readonly string[];
  kind: TextKind;
  base64: boolean;
}

/** Reads a request of OpenAI's embeddings API. @throws InvalidRequest */
export function readEmbeddingsRequest(
  body: unknown,
  kindHeader: string | undefined,
  model: Pick<EmbeddingModel, 'id' | 'dimensions'>,
): EmbeddingsRequest {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new InvalidRequest('The body must be a JSON object.', null);
  const { input, model: wanted, dimensions, encoding_format: format } = body as Record<string, unknown>;
  if (wanted !== undefined && wanted !== model.id)
    throw new InvalidRequest(`The only model is ${model.id}.`, 'model', 404, 'model_not_found');
  if (dimensions !== undefined && dimensions !== model.dimensions)
    throw new InvalidRequest(`The vectors have ${model.dimensions} dimensions.`, 'dimensions');
  if (format !== undefined && format !== 'float' && format !== 'base64')
    throw new InvalidRequest('It must be float or base64.', 'encoding_format');
  return { texts: textsOf(input), kind: kindOf(kindHeader), base64: format === 'base64' };
}

function textsOf(input: unknown): string[] {
  const texts: unknown[] = Array.isArray(input) ? input : [input];
  const { texts: most, textLength } = REQUEST_LIMITS;
  if (texts.length === 0 || texts.length > most)
    throw new InvalidRequest(`It must be a text, or 1 to ${most} texts.`, 'input');
  if (!texts.every((text) => typeof text === 'string' && text.length > 0))
    throw new InvalidRequest(
      'It must be a text or a list of texts, none of them empty. Tokens are not accepted.',
      'input',
    );
  if (texts.some((text) => (text as string).length > textLength))
    throw new InvalidRequest(`A text must not be longer than ${textLength} characters.`, 'input');
  return texts as string[];
}

function kindOf(header: string | undefined): TextKind {
  if (header === undefined || header === 'passage') return 'passage';
  if (header === 'query') return 'query';
  throw new InvalidRequest('It must be query or passage.', KIND_HEADER);
}

/** The body of the response. */
export const embeddingsResponse = (
  vectors: readonly Float32Array[],
  { id, base64 }: { id: string; base64: boolean },
) => ({
  object: 'list',
  data: vectors.map((vector, index) => ({
    object: 'embedding',
    index,
    embedding: base64 ? bytesOf(vector).toString('base64') : [...vector],
  })),
  model: id,
  // Nothing is charged by tokens.
  usage: { prompt_tokens: 0, total_tokens: 0 },
});

/** The body of `GET /v1/models`: OpenAI's fields, and those that a client needs to use the model. */
export const modelsResponse = ({
  id,
  dimensions,
  languages,
}: Pick<EmbeddingModel, 'id' | 'dimensions' | 'languages'>) => ({
  object: 'list',
  data: [{ id, object: 'model', created: 0, owned_by: 'trunkline', dimensions, languages: languages ?? null }],
});

/** An error in OpenAI's shape. */
export const errorBody = (
  message: string,
  type: string,
  { param = null, code = null }: { param?: string | null; code?: string | null } = {},
) => ({
  error: { message, type, param, code },
});
