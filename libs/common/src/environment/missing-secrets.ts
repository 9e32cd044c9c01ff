import type { Env } from './env.js';
import { readsSecret, type SecretReader } from './role-secrets.js';
import type { SecretName } from './secret-files.js';

interface MissingSecret {
  /** The variables of which one is enough. */
  names: SecretName[];
  /** The setting that needs it. */
  setting: string;
}

/** Keys of the models of ANALYSIS_MODEL, and the address that makes each unnecessary. */
const ANALYSIS_KEYS: Readonly<Record<string, { key: SecretName; url: keyof Env }>> = {
  openai: { key: 'OPENAI_API_KEY', url: 'OPENAI_URL' },
  anthropic: { key: 'ANTHROPIC_API_KEY', url: 'ANTHROPIC_URL' },
  google: { key: 'GEMINI_API_KEY', url: 'GOOGLE_URL' },
};

/** Sources of credentials of the AWS SDK other than the two variables. */
const AWS_SOURCES = /^AWS_(?:PROFILE|WEB_IDENTITY_TOKEN_FILE|CONTAINER_CREDENTIALS_\w+|SHARED_CREDENTIALS_FILE)$/;

/**
 * Secrets that settings of this process need and that it does not have. The process starts without them, and what needs them fails; the
 * required ones (DATABASE_URL, SECRET_KEY and those of ENGINE and EMBEDDINGS_PROVIDER) stop the start instead.
 */
export function missingSecrets(
  reader: SecretReader,
  env: Env,
  given: NodeJS.ProcessEnv = process.env,
): MissingSecret[] {
  const needed: (MissingSecret & { when: boolean })[] = [];
  const vendor = env.ANALYSIS_MODEL?.split(':')[0] ?? '';
  const analysis = ANALYSIS_KEYS[vendor];
  if (analysis)
    needed.push({ names: [analysis.key], setting: 'ANALYSIS_MODEL', when: env[analysis.url] === undefined });
  needed.push({
    names: ['SUMMARY_API_KEY', 'OPENAI_API_KEY'],
    setting: 'SUMMARY_MODEL',
    when: env.SUMMARY_MODEL !== undefined && env.SUMMARY_URL === undefined,
  });
  needed.push({
    names: ['AWS_SECRET_ACCESS_KEY'],
    setting: 'STORAGE_URL',
    // At Amazon the machine may have a role.
    when: hasEndpoint(env.STORAGE_URL) && !Object.keys(given).some((name) => AWS_SOURCES.test(name)),
  });
  return needed
    .filter(({ when, names }) => when && names.some((name) => readsSecret(reader, name)))
    .filter(({ names }) => names.every((name) => !env[name as keyof Env]))
    .map(({ names, setting }) => ({ names, setting }));
}

const hasEndpoint = (url: string | undefined): boolean =>
  url?.startsWith('s3:') === true && URL.canParse(url) && new URL(url).searchParams.has('endpoint');
