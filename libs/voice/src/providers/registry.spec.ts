import { expect, it } from '@jest/globals';
import { systemClock } from '../clock.js';
import { Speech } from '../speech/speech.js';
import { Synthesiser } from '../speech/synthesiser.js';
import { providerFor } from './registry.js';
import { ProviderUnavailable } from './voice-provider.js';

const parts = { speech: new Speech(new Synthesiser([])), clock: systemClock };

it('knows the sandbox', () => expect(providerFor('sandbox', parts).name).toBe('sandbox'));

it.each(['openai-realtime', '', 'constructor'])('says that %j is not available', (name) => {
  expect(() => providerFor(name, parts)).toThrow(ProviderUnavailable);
  expect(() => providerFor(name, parts)).toThrow(`The voice provider "${name}" is not available here.`);
});
