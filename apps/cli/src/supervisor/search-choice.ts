import { type Env, embeddingsProvider } from '@app/common';
import { modelProblem } from '@app/knowledge/embedding-models';
import { isIPv6 } from 'node:net';
import { freePort, requirePort } from '../ports.js';

/** How knowledge bases are searched in this installation. */
export interface Search {
  /** Where vectors come from; null: words alone. */
  provider: string | null;
  /** Why there is none; null: there is one. */
  reason: string | null;
  /** The embedder that `start` runs; absent: it runs none. */
  embedder?: { port: number; url: string };
}

/**
 * Whether `start` runs the embedder: unless the variables select another provider or name an embedder elsewhere, or packages are
 * missing. Throws Problem if EMBEDDER_PORT is in use.
 */
export async function chooseSearch(env: Env, problemOf = modelProblem): Promise<Search> {
  const provider = embeddingsProvider(env);
  if (provider === 'none') return { provider: null, reason: 'EMBEDDINGS_PROVIDER=none' };
  if (provider !== 'embedder' || env.EMBEDDER_URL) return { provider, reason: null };
  const problem = problemOf(env);
  if (problem !== undefined) return { provider: null, reason: problem };
  const { EMBEDDER_HOST: host, EMBEDDER_PORT: wanted } = env;
  if (process.env.EMBEDDER_PORT) await requirePort('EMBEDDER_PORT', wanted, host, ['tcp']);
  const port = process.env.EMBEDDER_PORT && wanted !== 0 ? wanted : await freePort(host);
  return { provider, reason: null, embedder: { port, url: `http://${reached(host)}:${port}` } };
}

/** The address for processes of this machine. */
function reached(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return isIPv6(host) ? `[${host}]` : host;
}
