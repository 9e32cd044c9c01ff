import { describe, expect, it } from '@jest/globals';
import { systemClock } from '../clock.js';
import { Speech } from '../speech/speech.js';
import { Synthesiser } from '../speech/synthesiser.js';
import type { ProviderSettings } from './provider-settings.js';
import { providerFor, providersFor } from './registry.js';
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

describe('one provider', () => {
  it.each(['sandbox', 'openai-realtime'])('the provider %s is known', (name) => {
    const parts = partsWith({ realtime: { ...realtime, model: 'm' }, sandbox });
    expect(providerFor(wanted(name), parts).name).toBe(name);
  });

  it('openai-live needs a key, a voice model and a backend model', () => {
    const live = { url: 'wss://live.example/v1/live/sessions', key: 'k' };
    expect(() => providerFor(wanted('openai-live'), bare)).toThrow('needs OPENAI_API_KEY');
    expect(() => providerFor(wanted('openai-live'), partsWith({ live }))).toThrow('LIVE_MODEL');
    const speaks = wanted('openai-live', { model: 'm' });
    expect(() => providerFor(speaks, partsWith({ live }))).toThrow('LIVE_BACKEND_MODEL');
    const provider = providerFor(speaks, partsWith({ live: { ...live, backendModel: 'b' } }));
    expect(provider.capabilities).toEqual({ cancel: false, truncate: false, transcribesUser: true });
  });

  it.each(['unheard-of', '', 'constructor'])('the provider %j is unavailable', (name) => {
    expect(() => providerFor(wanted(name), bare)).toThrow(ProviderUnavailable);
    expect(() => providerFor(wanted(name), bare)).toThrow(`The voice provider "${name}" is not available here.`);
  });

  it('the sandbox refuses an invalid script and needs none', () => {
    const script = { rules: [{ on: 'opening' }] };
    expect(() => providerFor(wanted('sandbox', { script }), partsWith({ sandbox }))).toThrow('rules.0: does nothing');
    expect(() => providerFor(wanted('sandbox'), bare)).toThrow('does not run here');
  });

  it('openai-realtime needs a key and a model, from the agent or the operator', () => {
    expect(() => providerFor(wanted('openai-realtime'), bare)).toThrow('needs OPENAI_API_KEY');
    const parts = partsWith({ realtime });
    expect(() => providerFor(wanted('openai-realtime'), parts)).toThrow('needs a model');
    expect(providerFor(wanted('openai-realtime', { model: 'm' }), parts).name).toBe('openai-realtime');
  });

  it('openai-realtime transcribes the user when a transcription model is set', () => {
    const parts = partsWith({ realtime: { ...realtime, model: 'm', transcriptionModel: 't' } });
    expect(providerFor(wanted('openai-realtime'), parts).capabilities.transcribesUser).toBe(true);
    const without = partsWith({ realtime: { ...realtime, model: 'm' } });
    expect(providerFor(wanted('openai-realtime'), without).capabilities.transcribesUser).toBe(false);
  });
});

describe('the providers of an agent', () => {
  it('usable providers keep their order, unusable ones are skipped', () => {
    const chosen = providersFor(
      [wanted('openai-realtime'), wanted('sandbox'), wanted('sandbox')],
      partsWith({ sandbox }),
    );
    expect(chosen.provider.name).toBe('sandbox');
    expect(chosen.fallbacks.map(({ name }) => name)).toEqual(['sandbox']);
    expect(chosen.unavailable.map(({ message }) => message)).toEqual([expect.stringContaining('OPENAI_API_KEY')]);
  });

  it('an agent without a usable provider is refused', () => {
    expect(() => providersFor([wanted('openai-realtime'), wanted('unknown')], bare)).toThrow('needs OPENAI_API_KEY');
  });
});
