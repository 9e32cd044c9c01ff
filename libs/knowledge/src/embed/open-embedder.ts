import type { EmbeddingsEnv, Log } from '@app/common';
import type { OpenEmbedder } from './embedder.js';
import { embeddingSettings } from './embedding-settings.js';
import { HttpEmbedder, type Patience } from './http-embedder.js';
import { openLocalEmbedder } from './local-embedder.js';

/**
 * The embedder that the environment asks for; undefined: none, search goes by words. Asks no network: an endpoint that is down
 * does not keep a process from starting.
 * @throws MissingSetting or LocalEmbeddingsUnusable.
 */
export async function openEmbedder(parts: {
  env: EmbeddingsEnv;
  log: Log;
  patience?: Patience;
}): Promise<OpenEmbedder | undefined> {
  const settings = embeddingSettings(parts.env);
  if (!settings) return undefined;
  const embedder =
    settings.provider === 'local' ? await openLocalEmbedder(settings) : new HttpEmbedder(settings, parts.patience);
  parts.log.info({ provider: settings.provider, model: embedder.model }, 'knowledge bases are searched by meaning too');
  return embedder;
}
