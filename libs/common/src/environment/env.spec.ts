import { describe, expect, it } from '@jest/globals';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InvalidEnvironment, loadEnv, SECRET_FILES } from './env.js';
import { embeddingsProvider } from './providers-env.js';

const LIVEKIT = { LIVEKIT_URL: 'wss://livekit.example.com', LIVEKIT_API_KEY: 'key', LIVEKIT_API_SECRET: 'secret' };

describe('ENGINE', () => {
  it('is embedded by default', () => {
    expect(loadEnv({}).ENGINE).toBe('embedded');
    expect(loadEnv({ ENGINE: 'livekit', ...LIVEKIT })).toMatchObject({ ENGINE: 'livekit', ...LIVEKIT });
  });

  it.each(Object.keys(LIVEKIT))('livekit without %s is refused with an error that names the variable', (name) => {
    const load = (): unknown => loadEnv({ ENGINE: 'livekit', ...LIVEKIT, [name]: '' });
    expect(load).toThrow(InvalidEnvironment);
    expect(load).toThrow(`${name}: ENGINE=livekit requires it. Example: ${name}=`);
  });

  it('livekit accepts only http and WebSocket addresses of a server', () => {
    expect(() => loadEnv({ LIVEKIT_URL: 'livekit.example.com' })).toThrow('LIVEKIT_URL');
    expect(() => loadEnv({ ENGINE: 'asterisk' })).toThrow('ENGINE');
  });
});

describe('the variables of embeddings', () => {
  it.each([
    [{ EMBEDDINGS_PROVIDER: 'azure' }, 'EMBEDDINGS_PROVIDER'],
    [{ EMBEDDINGS_PROVIDER: 'builtin' }, 'EMBEDDINGS_PROVIDER: builtin is now the role embedder'],
    [
      { EMBEDDINGS_PROVIDER: 'local', EMBEDDINGS_MODEL_DIR: '/m' },
      'EMBEDDINGS_PROVIDER: local is now the role embedder',
    ],
    [{ EMBEDDINGS_PROVIDER: 'openai' }, 'EMBEDDINGS_URL: EMBEDDINGS_PROVIDER=openai requires it, or an OpenAI key'],
    [{ EMBEDDINGS_PROVIDER: 'cohere' }, 'COHERE_API_KEY: EMBEDDINGS_PROVIDER=cohere requires it'],
    [
      { EMBEDDINGS_URL: 'http://ollama:11434/v1' },
      'EMBEDDINGS_MODEL: EMBEDDINGS_URL requires it. Example: EMBEDDINGS_MODEL=',
    ],
    [{ EMBEDDINGS_URL: 'ollama:11434', EMBEDDINGS_MODEL: 'm' }, 'EMBEDDINGS_URL: must start with http'],
    [{ EMBEDDINGS_DIMENSIONS: '0' }, 'EMBEDDINGS_DIMENSIONS'],
    [{ EMBEDDER_URL: 'embedder:3010' }, 'EMBEDDER_URL: must start with http'],
  ])('%j is refused: %s', (given, message) => expect(() => loadEnv(given)).toThrow(message));

  it.each<Record<string, string>>([
    {},
    { OPENAI_API_KEY: 'sk-1' },
    { EMBEDDINGS_URL: 'http://ollama:11434/v1', EMBEDDINGS_MODEL: 'nomic-embed-text' },
    { EMBEDDINGS_PROVIDER: 'voyage', EMBEDDINGS_API_KEY: 'k' },
    { EMBEDDINGS_PROVIDER: 'embedder', EMBEDDINGS_MODEL_DIR: '/models/e5' },
    { EMBEDDINGS_PROVIDER: 'embedder', EMBEDDINGS_URL: 'http://ollama:11434/v1' },
    { EMBEDDINGS_PROVIDER: 'none', EMBEDDINGS_URL: 'http://ollama:11434/v1' },
  ])('%j is accepted', (given) => expect(loadEnv(given)).toMatchObject(given));

  it.each<[Record<string, string>, string]>([
    [{}, 'embedder'],
    [{ EMBEDDINGS_API_KEY: 'k' }, 'embedder'],
    [{ VOYAGE_API_KEY: 'k', COHERE_API_KEY: 'k' }, 'cohere'],
    [{ MISTRAL_API_KEY: 'k', GEMINI_API_KEY: 'k' }, 'gemini'],
    [{ OPENAI_API_KEY: 'k', GEMINI_API_KEY: 'k' }, 'openai'],
    [{ EMBEDDINGS_URL: 'http://tei/v1', EMBEDDINGS_MODEL: 'bge-m3', COHERE_API_KEY: 'k' }, 'openai'],
    [{ EMBEDDINGS_PROVIDER: 'embedder', OPENAI_API_KEY: 'k' }, 'embedder'],
    [{ EMBEDDINGS_PROVIDER: 'none', OPENAI_API_KEY: 'k' }, 'none'],
  ])('%j select %s', (given, provider) => expect(embeddingsProvider(loadEnv(given))).toBe(provider));
});

describe('the RTP ports of several dialers', () => {
  it.each([
    [{}, { min: 20_000, max: 20_999 }],
    [{ DIALER_INDEX: '2' }, { min: 22_000, max: 22_999 }],
    [
      { DIALER_INDEX: '1', RTP_PORTS: '30000-30399' },
      { min: 30_400, max: 30_799 },
    ],
  ])('%j', (given, ports) => expect(loadEnv(given).RTP_PORTS).toEqual(ports));

  it('must not exceed 65535', () => {
    expect(() => loadEnv({ DIALER_INDEX: '46' })).toThrow('DIALER_INDEX: too large for RTP_PORTS');
  });
});

describe('addresses and networks in the environment', () => {
  it.each([
    ['SIP_ALLOW_CIDRS', '10.0.0.0/99'],
    ['EGRESS_ALLOW_CIDRS', '10.0.0.0/8,intranet'],
    ['SIP_PUBLIC_IP', 'sip.example.com'],
    ['MEDIA_PUBLIC_IP', '203.0.113'],
  ])('%s=%s is refused with an error that names the variable and an example', (name, value) => {
    expect(() => loadEnv({ [name]: value })).toThrow(new RegExp(`${name}: must be .*Example: ${name}=`));
  });

  it.each([
    ['SIP_ALLOW_CIDRS', '10.0.0.0/8, 192.0.2.10,fd00::/8'],
    ['SIP_PUBLIC_IP', '2001:db8::7'],
  ])('%s=%s is accepted', (name, value) => expect(() => loadEnv({ [name]: value })).not.toThrow());
});

describe('a secret in a file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'trunkline-secrets-'));
  const file = (content: string): string => {
    const path = join(folder, `${Math.random()}`);
    writeFileSync(path, content);
    return path;
  };

  it('is read without the white space around it, and checked as the variable is', () => {
    const url = 'postgres://user:password@localhost:5432/trunkline';
    const env = loadEnv({ DATABASE_URL_FILE: file(`${url}\n`), OPENAI_API_KEY_FILE: file(' sk-1 ') });
    expect(env).toMatchObject({ DATABASE_URL: url, OPENAI_API_KEY: 'sk-1' });
    expect(() => loadEnv({ SECRET_KEY_FILE: file('short') })).toThrow('SECRET_KEY: ');
  });

  it('is refused beside the variable, without a file, or when it is empty', () => {
    const given = { SECRET_KEY: 'k'.repeat(32), SECRET_KEY_FILE: file('x') };
    expect(() => loadEnv(given)).toThrow('SECRET_KEY_FILE: set SECRET_KEY or SECRET_KEY_FILE, not both.');
    expect(() => loadEnv({ QUEUE_URL_FILE: '/nowhere/queue' })).toThrow(
      'QUEUE_URL_FILE: /nowhere/queue cannot be read (ENOENT).',
    );
    expect(() => loadEnv({ GEMINI_API_KEY_FILE: file('\n') })).toThrow(/^.*GEMINI_API_KEY_FILE: .* is empty\.$/s);
  });

  it('may be any secret, and no other setting', () => {
    expect(SECRET_FILES).toEqual(
      expect.arrayContaining(['SECRET_KEY_FILE', 'OIDC_CLIENT_SECRET_FILE', 'LIVEKIT_API_SECRET_FILE']),
    );
    expect(SECRET_FILES).not.toContain('SIP_TLS_KEY_FILE');
  });
});
