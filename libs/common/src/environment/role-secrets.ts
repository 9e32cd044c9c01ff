import type { SecretName } from './secret-files.js';

/** The programs that read secrets, as `start --role` and the commands name them. */
export type SecretReader = 'api' | 'worker' | 'dialer' | 'embedder' | 'phone' | 'migrate';

const DATABASE = ['DATABASE_URL', 'DATABASE_PASSWORD'] as const;

/** Of every process that works on the database: its stores, the key of stored secrets, and the proxy of its requests. */
const STORES = [
  ...DATABASE,
  'QUEUE_URL',
  'QUEUE_PASSWORD',
  'AWS_ACCESS_KEY_ID',
  'AWS_SECRET_ACCESS_KEY',
  'AWS_SESSION_TOKEN',
  'SECRET_KEY',
  'SECRET_KEY_FALLBACKS',
  'EGRESS_PROXY_URL',
] as const;

/** Searches of knowledge bases need the vector of the question: in requests, in retrieval tests and in calls. */
const EMBEDDINGS = ['EMBEDDINGS_API_KEY', 'MISTRAL_API_KEY', 'COHERE_API_KEY', 'VOYAGE_API_KEY'] as const;

/** Conversations in text, analyses, judges and summaries: simulations run in the api, test runs and analyses in workers. */
const TEXT_MODELS = [
  'OPENAI_API_KEY',
  'GEMINI_API_KEY',
  'ANTHROPIC_API_KEY',
  'COMPATIBLE_API_KEY',
  'REALTIME_API_KEY',
  'SUMMARY_API_KEY',
] as const;

/** Agents that hear and speak: in calls, and the tester callers of workers. The api lists voices and models, and warns of agents without a key. */
const SPEECH = ['DEEPGRAM_API_KEY', 'ASSEMBLYAI_API_KEY', 'ELEVENLABS_API_KEY', 'CARTESIA_API_KEY'] as const;

/**
 * The secrets that each program reads. `loadEnv` gives a role no others, so a secret that is missing here is missing in the process;
 * Compose and Kubernetes mount the same ones (test/rules/role-secrets.spec.ts).
 */
export const ROLE_SECRETS: Readonly<Record<SecretReader, readonly SecretName[]>> = {
  api: [...STORES, ...EMBEDDINGS, ...TEXT_MODELS, ...SPEECH, 'BOOTSTRAP_TOKEN', 'OIDC_CLIENT_SECRET'],
  worker: [...STORES, ...EMBEDDINGS, ...TEXT_MODELS, ...SPEECH],
  dialer: [...STORES, ...EMBEDDINGS, ...TEXT_MODELS, ...SPEECH, 'LIVEKIT_API_KEY', 'LIVEKIT_API_SECRET'],
  // One model for all processes: neither a database nor a vendor.
  embedder: [],
  phone: [],
  // As the role that owns the tables; with Redis the queue has none.
  migrate: [...DATABASE, 'QUEUE_URL'],
};

export const readsSecret = (reader: SecretReader, name: string): boolean =>
  (ROLE_SECRETS[reader] as readonly string[]).includes(name);

/** Secrets in this environment that the program does not read: another process than it should have them. */
export const surplusSecrets = (reader: SecretReader, names: readonly SecretName[]): SecretName[] =>
  names.filter((name) => !readsSecret(reader, name));
