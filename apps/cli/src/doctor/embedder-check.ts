import { type Env, embeddingsProvider } from '@app/common';
import { probeEmbedder } from '@app/knowledge';
import { type CheckResult, ok, warning } from './finding.js';

const PROBE_MS = 10_000;

/** Which embedder api, worker and dialer use with these variables, and whether it answers. Without it, search is by words alone. */
export async function semanticSearch(env: Env): Promise<CheckResult> {
  const provider = embeddingsProvider(env);
  if (provider === 'none') return ok('off by EMBEDDINGS_PROVIDER=none: knowledge bases are searched by words alone');
  try {
    const probed = await probeEmbedder(env, AbortSignal.timeout(PROBE_MS));
    if (!probed)
      return warning(
        'no embedder is configured: knowledge bases are searched by words alone',
        'Run trunkline start --role embedder and set EMBEDDER_URL, or set EMBEDDINGS_PROVIDER=none.',
      );
    const { model, languages, ms } = probed;
    const known = languages ? `texts in ${languages.join(', ')}` : 'texts in all languages';
    return ok(`api, worker and dialer use ${nameOf(env)} with ${model} for ${known}; it answers in ${ms} ms`);
  } catch (error) {
    return warning(
      `${nameOf(env)} does not answer, and knowledge bases are searched by words alone: ${(error as Error).message}`,
      provider === 'embedder'
        ? 'Start it: trunkline start --role embedder; or correct EMBEDDER_URL.'
        : 'Correct EMBEDDINGS_URL, EMBEDDINGS_MODEL and the key, or let this machine reach the endpoint.',
    );
  }
}

function nameOf(env: Env): string {
  const provider = embeddingsProvider(env);
  if (provider === 'embedder') return `the role embedder (${env.EMBEDDER_URL ?? 'EMBEDDER_URL is not set'})`;
  return env.EMBEDDINGS_URL ? `the endpoint of EMBEDDINGS_URL` : `the vendor ${provider}`;
}
