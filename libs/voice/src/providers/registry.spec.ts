import { beforeAll, describe, expect, it } from '@jest/globals';
import { sandboxProvider } from '@app/sandbox';
import { systemClock } from '../clock.js';
import { Speech } from '../speech/speech.js';
import { Synthesiser } from '../speech/synthesiser.js';
import type { ProviderSettings } from './provider-settings.js';
import { providerFor, providersFor, registerProvider } from './registry.js';
import { ProviderUnavailable } from './voice-provider.js';

const partsWith = (settings: ProviderSettings) => ({
  speech: new Speech(new Synthesiser([])),
  clock: systemClock,
  settings,
});
const bare = partsWith({});
const sandbox = { url: 'ws://127.0.0.1:9/v1/realtime', key: 'k' };
const realtime = { url: 'wss://realtime.example/v1/realtime', key: 'k' };
const wanted = (name: string, options = {}) => ({ name, options });

beforeAll(() => registerProvider('sandbox', () => Promise.resolve(sandboxProvider)));

describe('the registry of voice providers', () => {
  it.each(['sandbox', 'openai-realtime'])('opens %s', async (name) => {
    const parts = partsWith({ realtime: { ...realtime, model: 'm' }, sandbox });
    expect((await providerFor(wanted(name), parts)).name).toBe(name);
  });

  it('refuses openai-live without a key, a model that speaks and a model that calls tools', async () => {
    const live = { url: 'wss://live.example/v1/live/sessions', key: 'k' };
    await expect(providerFor(wanted('openai-live'), bare)).rejects.toThrow('needs OPENAI_API_KEY');
    await expect(providerFor(wanted('openai-live'), partsWith({ live }))).rejects.toThrow('LIVE_MODEL');
    const speaks = wanted('openai-live', { model: 'm' });
    await expect(providerFor(speaks, partsWith({ live }))).rejects.toThrow('LIVE_BACKEND_MODEL');
    const provider = await providerFor(speaks, partsWith({ live: { ...live, backendModel: 'b' } }));
    expect(provider.capabilities).toEqual({
      cancel: false,
      truncate: false,
      transcribesUser: true,
      speaksGivenWords: false,
      billsConnection: true,
    });
  });

  it('refuses gemini-live without a key and without a model, which the sandbox server in its place does not need', async () => {
    const gemini = { url: 'wss://gemini.example', key: 'k' };
    await expect(providerFor(wanted('gemini-live'), bare)).rejects.toThrow('needs GEMINI_API_KEY');
    await expect(providerFor(wanted('gemini-live'), partsWith({ gemini }))).rejects.toThrow('GEMINI_MODEL');
    const provider = await providerFor(wanted('gemini-live', { model: 'm' }), partsWith({ gemini }));
    expect(provider.capabilities).toEqual({ cancel: true, truncate: true, transcribesUser: true, wideband: true });
    const emulated = { gemini: { url: 'sandbox', isSandbox: true } };
    expect((await providerFor(wanted('gemini-live'), partsWith({ ...emulated, sandbox }))).name).toBe('gemini-live');
    await expect(providerFor(wanted('gemini-live'), partsWith(emulated))).rejects.toThrow('does not run here');
  });

  it.each(['unheard-of', '', 'constructor'])('names the available providers when an agent names %j', async (name) => {
    await expect(providerFor(wanted(name), bare)).rejects.toThrow(ProviderUnavailable);
    await expect(providerFor(wanted(name), bare)).rejects.toThrow(
      `The voice provider "${name}" is not available here. Available: sandbox, openai-realtime, openai-live, gemini-live, pipeline.`,
    );
  });

  it('refuses a sandbox agent whose script cannot be played, and every one where no sandbox server runs', async () => {
    const script = { rules: [{ on: 'opening' }] };
    const opening = providerFor(wanted('sandbox', { script }), partsWith({ sandbox }));
    await expect(opening).rejects.toThrow('rules.0: does nothing');
    await expect(providerFor(wanted('sandbox'), bare)).rejects.toThrow('does not run here');
  });

  it('refuses openai-realtime without a key, and without a model of the agent or of the operator', async () => {
    await expect(providerFor(wanted('openai-realtime'), bare)).rejects.toThrow('needs OPENAI_API_KEY');
    const parts = partsWith({ realtime });
    await expect(providerFor(wanted('openai-realtime'), parts)).rejects.toThrow('needs a model');
    expect((await providerFor(wanted('openai-realtime', { model: 'm' }), parts)).name).toBe('openai-realtime');
  });

  it('opens openai-realtime with transcription where a transcription model is chosen', async () => {
    const parts = partsWith({ realtime: { ...realtime, model: 'm', transcriptionModel: 't' } });
    expect((await providerFor(wanted('openai-realtime'), parts)).capabilities.transcribesUser).toBe(true);
    const without = partsWith({ realtime: { ...realtime, model: 'm' } });
    expect((await providerFor(wanted('openai-realtime'), without)).capabilities.transcribesUser).toBe(false);
  });
});

describe('the providers of an agent', () => {
  it('keep their order, without those that are not configured', async () => {
    const chosen = await providersFor(
      [wanted('openai-realtime'), wanted('sandbox'), wanted('sandbox')],
      partsWith({ sandbox }),
    );
    expect(chosen.provider.name).toBe('sandbox');
    expect(chosen.fallbacks.map(({ name }) => name)).toEqual(['sandbox']);
    expect(chosen.unavailable.map(({ message }) => message)).toEqual([expect.stringContaining('OPENAI_API_KEY')]);
  });

  it('are refused with the first reason when none is configured', async () => {
    const opening = providersFor([wanted('openai-realtime'), wanted('unheard-of')], bare);
    await expect(opening).rejects.toThrow('needs OPENAI_API_KEY');
  });
});
