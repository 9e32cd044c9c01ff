import { basename } from 'node:path';
import { type EmbeddingsEnv, MissingSetting } from '@app/common';

export interface HttpSettings {
  provider: 'openai';
  /** The URL of the POST request. */
  url: string;
  headers: Record<string, string>;
  model: string;
  dimensions: number;
  /** The request contains the length of the vectors. */
  requestsDimensions: boolean;
  facts: ModelFacts;
}

export interface LocalSettings {
  provider: 'local';
  directory: string;
  model: string;
  /** Absent: the value of the model's config.json. */
  dimensions: number | undefined;
  facts: ModelFacts;
}

/** The English model of the optional packages. */
interface BuiltinSettings {
  provider: 'builtin';
}

export type EmbeddingSettings = HttpSettings | LocalSettings | BuiltinSettings;

const OPENAI = 'https://api.openai.com/v1';
const DEFAULT_MODEL = 'text-embedding-3-small';

/**
 * The embedder that the environment configures; undefined: none. @throws MissingSetting if the length of the vectors
 * is unknown.
 */
export function embeddingSettings(env: EmbeddingsEnv): EmbeddingSettings | undefined {
  const { EMBEDDINGS_PROVIDER: provider, EMBEDDINGS_URL: url, OPENAI_API_KEY: key } = env;
  if (provider === 'local') return localSettings(env);
  if (provider === 'builtin') return { provider };
  const wanted = provider === 'openai' || (provider === 'auto' && (url ?? key) !== undefined);
  return wanted ? httpSettings(env) : undefined;
}

function localSettings(env: EmbeddingsEnv): LocalSettings {
  const { EMBEDDINGS_MODEL_DIR: directory } = env;
  if (!directory) throw new MissingSetting('EMBEDDINGS_MODEL_DIR is required with EMBEDDINGS_PROVIDER=local');
  const model = env.EMBEDDINGS_MODEL ?? basename(directory);
  return { provider: 'local', directory, model, dimensions: env.EMBEDDINGS_DIMENSIONS, facts: factsOf(model) };
}

function httpSettings(env: EmbeddingsEnv): HttpSettings {
  const model = env.EMBEDDINGS_MODEL ?? DEFAULT_MODEL;
  const facts = factsOf(model);
  const dimensions = env.EMBEDDINGS_DIMENSIONS ?? facts.dimensions;
  if (dimensions === 0)
    throw new MissingSetting(`EMBEDDINGS_DIMENSIONS is required: the length of the vectors of ${model} is unknown`);
  const url = endpointOf(env.EMBEDDINGS_URL ?? OPENAI);
  return {
    provider: 'openai',
    url: url.href,
    headers: headersOf(url, env.EMBEDDINGS_API_KEY ?? env.OPENAI_API_KEY),
    model,
    dimensions,
    // vLLM answers 400 to `dimensions` for models that do not support it.
    requestsDimensions: facts.shortens && dimensions !== facts.dimensions,
    facts,
  };
}

/** The URL itself if it ends in `/embeddings` (Azure, with its api-version), else the path below the base URL. */
function endpointOf(given: string): URL {
  const url = new URL(given);
  const path = url.pathname.replace(/\/+$/, '');
  if (!path.endsWith('/embeddings')) url.pathname = `${path === '' ? '/v1' : path}/embeddings`;
  return url;
}

/** Azure takes a key as `api-key`; a bearer there would be a token of Entra ID. */
function headersOf(url: URL, key: string | undefined): Record<string, string> {
  const headers = { 'content-type': 'application/json', accept: 'application/json' };
  if (!key) return headers;
  if (/\.azure(?:-api)?\.(?:com|net|us|cn)$/.test(url.hostname)) return { ...headers, 'api-key': key };
  return { ...headers, authorization: `Bearer ${key}` };
}

/** Properties of a model. */
interface ModelFacts {
  dimensions: number;
  /** It returns shorter vectors if the request contains `dimensions`. */
  shortens: boolean;
  /** Prefixes that the model expects before questions and passages; results are worse without them. */
  queryPrefix: string;
  passagePrefix: string;
  /** How a local model combines the vectors of the tokens. */
  pooling: 'mean' | 'cls';
}

const PLAIN: ModelFacts = { dimensions: 0, shortens: false, queryPrefix: '', passagePrefix: '', pooling: 'mean' };
const E5 = { ...PLAIN, queryPrefix: 'query: ', passagePrefix: 'passage: ' };
const BGE = { ...PLAIN, pooling: 'cls' as const };
const BGE_EN = { ...BGE, queryPrefix: 'Represent this sentence for searching relevant passages: ' };
const NOMIC = { ...PLAIN, queryPrefix: 'search_query: ', passagePrefix: 'search_document: ' };

/** From the model cards. The first match applies. */
const KNOWN: readonly [RegExp, ModelFacts][] = [
  [/^text-embedding-3-small$/, { ...PLAIN, dimensions: 1536, shortens: true }],
  [/^text-embedding-3-large$/, { ...PLAIN, dimensions: 3072, shortens: true }],
  [/^text-embedding-ada-002$/, { ...PLAIN, dimensions: 1536 }],
  [/^nomic-embed-text/, { ...NOMIC, dimensions: 768 }],
  [/^mxbai-embed-large/, { ...BGE_EN, dimensions: 1024 }],
  [/^bge-m3$/, { ...BGE, dimensions: 1024 }],
  [/^bge-small-en/, { ...BGE_EN, dimensions: 384 }],
  [/^bge-base-en/, { ...BGE_EN, dimensions: 768 }],
  [/^bge-large-en/, { ...BGE_EN, dimensions: 1024 }],
  [/^all-minilm/, { ...PLAIN, dimensions: 384 }],
  [/^(?:multilingual-)?e5-small(?:-v2)?$/, { ...E5, dimensions: 384 }],
  [/^(?:multilingual-)?e5-base(?:-v2)?$/, { ...E5, dimensions: 768 }],
  [/^(?:multilingual-)?e5-large(?:-v2)?$/, { ...E5, dimensions: 1024 }],
];

/**
 * Properties of a model by its name, with or without publisher (`Xenova/…`) and tag (`…:latest`); `dimensions` is 0
 * for unknown models.
 */
function factsOf(model: string): ModelFacts {
  const name = model.toLowerCase().replace(/^.*\//, '').replace(/:.*$/, '');
  return KNOWN.find(([pattern]) => pattern.test(name))?.[1] ?? PLAIN;
}
