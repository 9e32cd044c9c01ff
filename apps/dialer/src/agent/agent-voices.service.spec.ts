import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createLog, loadEnv } from '@app/common';
import { registerProvider } from '@app/voice';
import { builtInVoice } from '../media/built-in-voice.js';
import { AgentVoicesService } from './agent-voices.service.js';
import { sandboxProvider } from '../media/sandbox.js';

const openAi = { name: 'openai-realtime', options: {} };
const scripted = { name: 'sandbox', options: {} };
let voice: AgentVoicesService;

beforeAll(async () => {
  registerProvider('sandbox', () => Promise.resolve(sandboxProvider));
  const env = loadEnv({ MEDIA_THREADS: '0', OPENAI_API_KEY: 'k', REALTIME_MODEL: 'm' });
  voice = new AgentVoicesService(env, createLog({ level: 'silent', role: 'test' }));
  await voice.start();
});
afterAll(() => voice.close());

describe('the voices of a dialer', () => {
  it('opens an agent of a production provider without a sandbox server', async () => {
    const { provider, sandbox } = await voice.openProviders([openAi]);
    expect(provider.name).toBe('openai-realtime');
    expect(sandbox).toBeUndefined();
  });

  it('starts one sandbox server for all sandbox agents', async () => {
    const opened = await Promise.all([voice.openProviders([scripted]), voice.openProviders([openAi, scripted])]);
    expect(opened.map(({ provider, fallbacks }) => [provider, ...fallbacks].map(({ name }) => name))).toEqual([
      ['sandbox'],
      ['openai-realtime', 'sandbox'],
    ]);
    const [first, second] = opened.map(({ sandbox }) => sandbox);
    expect(first?.url).toMatch(/^ws:\/\/127\.0\.0\.1:\d+\/v1\/realtime$/);
    expect(second).toEqual(first);
  });

  it('speaks with the built-in voice on a machine without a speech program', async () => {
    const samples = await builtInVoice.speak('Goodbye.', 'en');
    expect(samples.length).toBeGreaterThan(1_600);
  });
});
