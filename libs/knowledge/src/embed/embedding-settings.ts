import {
  type EmbeddingsEnv,
  embeddingsKey,
  embeddingsProvider,
  type EmbeddingsVendor,
  MissingSetting,
} from '@app/common';
import { factsOf, type ModelFacts } from './model-facts.js';
import { COHERE, EMBEDDER, GEMINI, MISTRAL, OPENAI, VOYAGE, type WireFormat } from './wire-formats.js';

/** An endpoint and its model. */
export interface HttpSettings {
  provider: EmbeddingsVendor | 'embedder';
  /** The URL of the POST request. */
  url: string;
  headers: Record<string, string>;
  format: WireFormat;
  model: string;
  dimensions: number;
  /** The request contains the length of the vectors. */
  requestsDimensions: boolean;
  facts: Pick<ModelFacts, 'queryPrefix' | 'passagePrefix' | 'languages'>;
  /** Concurrent batches. */
  atOnce: number;
  /** Texts per batch at most. */
  textsPerBatch: number;
}

/** The role `embedder`, which says itself which model it runs. */
interface RoleSettings {
  provider: 'embedder';
  /** Without a path. */
  url: string;
}

interface Vendor {
  url: string;
  /** The address of the request below that of the API; OpenAI's if absent. */
  endpoint?: (url: URL, model: string) => URL;
  /** The header with the key; a bearer token if absent. */
  keyHeader?: string;
  model: string;
  format: WireFormat;
}

const VENDORS: Record<EmbeddingsVendor, Vendor> = {
  openai: { url: 'https://api.openai.com/v1', model: 'text-embedding-3-small', format: OPENAI },
  gemini: {
    url: 'https://generativelanguage.googleapis.com/v1beta',
    endpoint: (url, model) => below(url, `/models/${model}:batchEmbedContents`),
    keyHeader: 'x-goog-api-key',
    model: 'gemini-embedding-001',
    format: GEMINI,
  },
  mistral: { url: 'https://api.mistral.ai/v1', model: 'mistral-embed', format: MISTRAL },
  cohere: {
    url: 'https://api.cohere.com/v2',
    endpoint: (url) => below(url, '/embed'),
    model: 'embed-v4.0',
    format: COHERE,
  },
  voyage: { url: 'https://api.voyageai.com/v1', model: 'voyage-3.5', format: VOYAGE },
};

/** TEI accepts 32 texts per request by default. */
const MAX_TEXTS = 32;
const AT_ONCE = 4;
/** The role embeds one text after the other: small batches show progress, and a second one keeps it busy. */
const OF_ROLE = { atOnce: 2, textsPerBatch: 16 };

/**
 * The embedder that the environment configures; undefined: none. @throws MissingSetting if the length of the vectors
 * or the address of the role is unknown.
 */
export function embeddingSettings(env: EmbeddingsEnv): HttpSettings | RoleSettings | undefined {
  const provider = embeddingsProvider(env);
  if (provider === 'none') return undefined;
  if (provider !== 'embedder') return httpSettings(env, provider);
  const { EMBEDDER_URL: url } = env;
  if (url) return { provider, url: url.replace(/\/+$/, '') };
  if (env.EMBEDDINGS_PROVIDER === 'embedder')
    throw new MissingSetting('EMBEDDER_URL is required with EMBEDDINGS_PROVIDER=embedder: http://embedder:3010');
  return undefined;
}

export const isRole = (settings: HttpSettings | RoleSettings): settings is RoleSettings => !('model' in settings);

function httpSettings(env: EmbeddingsEnv, provider: EmbeddingsVendor): HttpSettings {
  const vendor = VENDORS[provider];
  const model = env.EMBEDDINGS_MODEL ?? vendor.model;
  const facts = factsOf(model);
  const dimensions = env.EMBEDDINGS_DIMENSIONS ?? facts.dimensions;
  if (dimensions === 0)
    throw new MissingSetting(`EMBEDDINGS_DIMENSIONS is required: the length of the vectors of ${model} is unknown`);
  const url = (vendor.endpoint ?? openAiEndpoint)(new URL(env.EMBEDDINGS_URL ?? vendor.url), model);
  const { queryPrefix, passagePrefix } = facts;
  return {
    provider,
    url: url.href,
    headers: headersOf(url, embeddingsKey(env, provider), vendor.keyHeader),
    format: vendor.format,
    model,
    dimensions,
    // vLLM answers 400 to `dimensions` for models that do not support it.
    requestsDimensions: facts.shortens && dimensions !== (facts.unasked ?? facts.dimensions),
    // Endpoints embed any language, as well as they can.
    facts: { queryPrefix, passagePrefix },
    atOnce: AT_ONCE,
    textsPerBatch: MAX_TEXTS,
  };
}

/** The settings for a role that runs this model. It adds the prefixes itself. */
export const settingsForRole = (
  { url }: { url: string },
  { id, dimensions, languages }: { id: string; dimensions: number; languages?: readonly string[] },
): HttpSettings => ({
  provider: 'embedder',
  url: `${url}/v1/embeddings`,
  headers: headersOf(new URL(url), undefined),
  format: EMBEDDER,
  model: id,
  dimensions,
  requestsDimensions: false,
  facts: { queryPrefix: '', passagePrefix: '', ...(languages && { languages }) },
  ...OF_ROLE,
});

/** The URL itself if it ends in `/embeddings` (Azure, with its api-version), else the path below the base URL. */
function openAiEndpoint(url: URL): URL {
  const path = url.pathname.replace(/\/+$/, '');
  if (path.endsWith('/embeddings')) return url;
  return below(path === '' ? new URL('/v1', url) : url, '/embeddings');
}

function below(url: URL, path: string): URL {
  const extended = new URL(url);
  extended.pathname = `${url.pathname.replace(/\/+$/, '')}${path}`;
  return extended;
}

/** Azure takes a key as `api-key`; a bearer there would be a token of Entra ID. */
function headersOf(url: URL, key: string | undefined, keyHeader?: string): Record<string, string> {
  const headers = { 'content-type': 'application/json', accept: 'application/json' };
  if (!key) return headers;
  if (keyHeader !== undefined) return { ...headers, [keyHeader]: key };
  if (/\.azure(?:-api)?\.(?:com|net|us|cn)$/.test(url.hostname)) return { ...headers, 'api-key': key };
  return { ...headers, authorization: `Bearer ${key}` };
}
