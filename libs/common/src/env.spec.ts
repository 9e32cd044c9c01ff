import { describe, expect, it } from '@jest/globals';
import { InvalidEnvironment, loadEnv } from './env.js';

const LIVEKIT = { LIVEKIT_URL: 'wss://livekit.example.com', LIVEKIT_API_KEY: 'key', LIVEKIT_API_SECRET: 'secret' };

describe('the engine in the environment', () => {
  it('is the embedded one unless another is named', () => {
    expect(loadEnv({}).ENGINE).toBe('embedded');
    expect(loadEnv({ ENGINE: 'livekit', ...LIVEKIT })).toMatchObject({ ENGINE: 'livekit', ...LIVEKIT });
  });

  it.each(Object.keys(LIVEKIT))('livekit needs %s, and says so', (name) => {
    const load = (): unknown => loadEnv({ ENGINE: 'livekit', ...LIVEKIT, [name]: '' });
    expect(load).toThrow(InvalidEnvironment);
    expect(load).toThrow(`${name}: ENGINE=livekit needs it. Example: ${name}=`);
  });

  it('takes only http and WebSocket addresses of a server', () => {
    expect(() => loadEnv({ LIVEKIT_URL: 'livekit.example.com' })).toThrow('LIVEKIT_URL');
    expect(() => loadEnv({ ENGINE: 'asterisk' })).toThrow('ENGINE');
  });
});
