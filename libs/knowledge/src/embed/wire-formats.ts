import { z } from 'zod';

/** A question is embedded at once, a passage of a document in the background; some models treat them differently. */
export type TextKind = 'query' | 'passage';

/** The header that tells the role `embedder` the kind of the texts of a request; passages without it. */
export const KIND_HEADER = 'x-embedding-kind';

interface WantedVectors {
  model: string;
  texts: readonly string[];
  kind: TextKind;
  /** Absent: the length that the model returns unasked. */
  dimensions: number | undefined;
  /** Wanted as base64, where the endpoint offers it. */
  base64: boolean;
}

/** One vector of a response; `index` is the place of its text. */
interface VectorItem {
  index?: number | undefined;
  /** Numbers, or base64 of float32 in little endian. */
  embedding: string | number[];
}

/** How a vendor expects requests and writes responses. */
export interface WireFormat {
  headers?: (kind: TextKind) => Record<string, string>;
  body: (wanted: WantedVectors) => object;
  response: z.ZodType<VectorItem[]>;
}

const openAiResponse = z
  .object({
    data: z.array(
      z.object({ index: z.number().int().min(0).optional(), embedding: z.union([z.string(), z.array(z.number())]) }),
    ),
  })
  .transform(({ data }) => data);

/** OpenAI, Azure, Ollama, TEI, vLLM and other servers with OpenAI's API. */
export const OPENAI: WireFormat = {
  body: ({ model, texts, dimensions, base64 }) => ({
    model,
    input: texts,
    ...(base64 && { encoding_format: 'base64' }),
    ...(dimensions !== undefined && { dimensions }),
  }),
  response: openAiResponse,
};

/** The role `embedder`: OpenAI's API, and a header that lets questions go first. */
export const EMBEDDER: WireFormat = { ...OPENAI, headers: (kind) => ({ [KIND_HEADER]: kind }) };

/** POST /v1beta/models/{model}:batchEmbedContents of the Gemini API. */
export const GEMINI: WireFormat = {
  body: ({ model, texts, kind, dimensions }) => ({
    requests: texts.map((text) => ({
      model: `models/${model}`,
      content: { parts: [{ text }] },
      taskType: kind === 'query' ? 'RETRIEVAL_QUERY' : 'RETRIEVAL_DOCUMENT',
      ...(dimensions !== undefined && { outputDimensionality: dimensions }),
    })),
  }),
  response: z
    .object({ embeddings: z.array(z.object({ values: z.array(z.number()) })) })
    .transform(({ embeddings }) => embeddings.map(({ values }) => ({ embedding: values }))),
};

/** POST /v1/embeddings of Mistral. */
export const MISTRAL: WireFormat = {
  body: ({ model, texts, dimensions }) => ({
    model,
    input: texts,
    ...(dimensions !== undefined && { output_dimension: dimensions }),
  }),
  response: openAiResponse,
};

/** POST /v2/embed of Cohere. */
export const COHERE: WireFormat = {
  body: ({ model, texts, kind, dimensions }) => ({
    model,
    texts,
    input_type: kind === 'query' ? 'search_query' : 'search_document',
    embedding_types: ['float'],
    ...(dimensions !== undefined && { output_dimension: dimensions }),
  }),
  response: z
    .object({ embeddings: z.object({ float: z.array(z.array(z.number())) }) })
    .transform(({ embeddings }) => embeddings.float.map((embedding) => ({ embedding }))),
};

/** POST /v1/embeddings of Voyage AI. */
export const VOYAGE: WireFormat = {
  body: ({ model, texts, kind, dimensions }) => ({
    model,
    input: texts,
    input_type: kind === 'query' ? 'query' : 'document',
    ...(dimensions !== undefined && { output_dimension: dimensions }),
  }),
  response: openAiResponse,
};
