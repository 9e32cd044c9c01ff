import { basename } from 'node:path';
import { MissingSetting, type EmbeddingsEnv } from '@app/common';
import { factsOf, type ModelFacts } from './known-models.js';

export interface HttpSettings {
  provider: 'openai';
  /** Where the POST goes. */
  url: string;
  headers: Record<string, string>;
  model: string;
  dimensions: number;
  /** The request says how long the vectors shall be. */
  asksForDimensions: boolean;
  facts: ModelFacts;
}

export interface LocalSettings {
  provider: 'local';
  directory: string;
  model: string;
  /** Absent: what the model's config.json says. */
  dimensions: number | undefined;
  facts: ModelFacts;
}

const OPENAI = 'https://api.openai.com/v1';
const DEFAULT_MODEL = 'text-embedding-3-small';

/** What the environment asks for; undefined: no vectors. @throws MissingSetting when the length of the vectors is not known. */
export function embeddingSettings(env: EmbeddingsEnv): HttpSettings | LocalSettings | undefined {
  const { EMBEDDINGS_PROVIDER: provider, EMBEDDINGS_URL: url, OPENAI_API_KEY: key } = env;
  if (provider === 'local') return localSettings(env);
  const wanted = provider === 'openai' || (provider === 'auto' && (url ?? key) !== undefined);
  return wanted ? httpSettings(env) : undefined;
}

function localSettings(env: EmbeddingsEnv): LocalSettings {
  const { EMBEDDINGS_MODEL_DIR: directory } = env;
  if (!directory) throw new MissingSetting('EMBEDDINGS_MODEL_DIR is needed with EMBEDDINGS_PROVIDER=local');
  const model = env.EMBEDDINGS_MODEL ?? basename(directory);
  return { provider: 'local', directory, model, dimensions: env.EMBEDDINGS_DIMENSIONS, facts: factsOf(model) };
}

function httpSettings(env: EmbeddingsEnv): HttpSettings {
  const model = env.EMBEDDINGS_MODEL ?? DEFAULT_MODEL;
  const facts = factsOf(model);
  const dimensions = env.EMBEDDINGS_DIMENSIONS ?? facts.dimensions;
  if (dimensions === 0)
    throw new MissingSetting(`EMBEDDINGS_DIMENSIONS is needed: how long the vectors of ${model} are is not known here`);
  const url = endpointOf(env.EMBEDDINGS_URL ?? OPENAI);
  return {
    provider: 'openai',
    url: url.href,
    headers: headersOf(url, env.EMBEDDINGS_API_KEY ?? env.OPENAI_API_KEY),
    model,
    dimensions,
    // vLLM answers 400 to `dimensions` for a model that cannot: only those are asked that can.
    asksForDimensions: facts.shortens && dimensions !== facts.dimensions,
    facts,
  };
}

/** The address as it is when it ends in `/embeddings` (Azure, with its api-version), else that below the base. */
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
