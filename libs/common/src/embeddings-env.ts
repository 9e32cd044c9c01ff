import { z } from 'zod';

/** What each variable must look like, said when it does not. */
export const EMBEDDINGS_EXAMPLES: Record<string, string> = {
  EMBEDDINGS_PROVIDER: 'openai',
  EMBEDDINGS_URL: 'http://ollama:11434/v1',
  EMBEDDINGS_MODEL: 'nomic-embed-text',
  EMBEDDINGS_API_KEY: 'the key of that endpoint',
  EMBEDDINGS_DIMENSIONS: '768',
  EMBEDDINGS_MODEL_DIR: '/var/lib/trunkline/models/multilingual-e5-small',
};

/** Where the vectors of knowledge bases come from. */
export const embeddingsVariables = z.object({
  /** `auto`: `openai` when EMBEDDINGS_URL or OPENAI_API_KEY is set, else `none` (search by words alone). */
  EMBEDDINGS_PROVIDER: z.enum(['auto', 'openai', 'local', 'none']).default('auto'),
  /** Base (`…/v1`) or full address (`…/embeddings?api-version=…`) of an OpenAI-compatible endpoint. Absent: OpenAI's own. */
  EMBEDDINGS_URL: z
    .url()
    .regex(/^https?:\/\//, 'must start with http:// or https://')
    .optional(),
  EMBEDDINGS_MODEL: z.string().optional(),
  /** Absent: OPENAI_API_KEY. */
  EMBEDDINGS_API_KEY: z.string().optional(),
  OPENAI_API_KEY: z.string().optional(),
  /** Numbers in a vector; needed for models that are not known here, and to have shorter ones of those that can. */
  EMBEDDINGS_DIMENSIONS: z.coerce.number().int().min(8).max(8_192).optional(),
  /** Folder of one model (config.json, tokenizer.json, onnx/) for EMBEDDINGS_PROVIDER=local; nothing is downloaded. */
  EMBEDDINGS_MODEL_DIR: z.string().optional(),
});

export type EmbeddingsEnv = z.output<typeof embeddingsVariables>;

/** Names the variable that another one needs, and why. */
export function embeddingsProblem(env: EmbeddingsEnv): { name: keyof EmbeddingsEnv; message: string } | undefined {
  const { EMBEDDINGS_PROVIDER: provider, EMBEDDINGS_URL: url } = env;
  if (provider === 'local' && !env.EMBEDDINGS_MODEL_DIR)
    return { name: 'EMBEDDINGS_MODEL_DIR', message: 'EMBEDDINGS_PROVIDER=local needs it' };
  if (provider === 'openai' && !url && !env.EMBEDDINGS_API_KEY && !env.OPENAI_API_KEY)
    return {
      name: 'EMBEDDINGS_URL',
      message: 'EMBEDDINGS_PROVIDER=openai needs it, or a key of OpenAI in OPENAI_API_KEY',
    };
  if (url && !env.EMBEDDINGS_MODEL && provider !== 'local' && provider !== 'none')
    return { name: 'EMBEDDINGS_MODEL', message: 'EMBEDDINGS_URL needs it' };
  return undefined;
}
