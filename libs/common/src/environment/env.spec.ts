import { describe, expect, it } from '@jest/globals';
import { InvalidEnvironment, loadEnv } from './env.js';

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
    [{ EMBEDDINGS_PROVIDER: 'cohere' }, 'EMBEDDINGS_PROVIDER'],
    [{ EMBEDDINGS_PROVIDER: 'openai' }, 'EMBEDDINGS_URL: EMBEDDINGS_PROVIDER=openai requires it, or an OpenAI key'],
    [{ EMBEDDINGS_PROVIDER: 'local' }, 'EMBEDDINGS_MODEL_DIR: EMBEDDINGS_PROVIDER=local requires it'],
    [
      { EMBEDDINGS_URL: 'http://ollama:11434/v1' },
      'EMBEDDINGS_MODEL: EMBEDDINGS_URL requires it. Example: EMBEDDINGS_MODEL=',
    ],
    [{ EMBEDDINGS_URL: 'ollama:11434', EMBEDDINGS_MODEL: 'm' }, 'EMBEDDINGS_URL: must start with http'],
    [{ EMBEDDINGS_DIMENSIONS: '0' }, 'EMBEDDINGS_DIMENSIONS'],
  ])('%j is refused: %s', (given, message) => expect(() => loadEnv(given)).toThrow(message));

  it.each<Record<string, string>>([
    {},
    { OPENAI_API_KEY: 'sk-1' },
    { EMBEDDINGS_URL: 'http://ollama:11434/v1', EMBEDDINGS_MODEL: 'nomic-embed-text' },
    { EMBEDDINGS_PROVIDER: 'local', EMBEDDINGS_MODEL_DIR: '/models/e5' },
    { EMBEDDINGS_PROVIDER: 'builtin', EMBEDDINGS_URL: 'http://ollama:11434/v1' },
    { EMBEDDINGS_PROVIDER: 'none', EMBEDDINGS_URL: 'http://ollama:11434/v1' },
  ])('%j is accepted', (given) => expect(loadEnv(given)).toMatchObject(given));
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
