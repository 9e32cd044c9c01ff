import { expect, it } from '@jest/globals';
import type { StoredPipeline } from '../agent.entity.js';
import { withOverrides } from './call-overrides.js';

const AGENT = {
  provider: 'openai-realtime',
  provider_options: { model: 'm', voice: 'marin', fallbacks: [{ provider: 'sandbox', voice: 'x' }] },
  instructions: 'Be kind.',
  greeting: 'Hello.',
  max_call_seconds: 600,
  answering_machine: null,
  conversation: { idle: { prompts: 1 }, language: 'en' },
};
const MACHINE = { detect: true, on_machine: 'leave_message', message: 'Call us.', wait_for_beep_seconds: 5 } as const;

it.each<[string, Parameters<typeof withOverrides>[1], object]>([
  ['no overrides', undefined, {}],
  ['nulls', { greeting: null, instructions: null, voice: null, language: null, max_call_seconds: null }, {}],
  ['a greeting', { greeting: 'Hi.' }, { greeting: 'Hi.' }],
  ['an empty greeting', { greeting: '' }, { greeting: '' }],
  ['instructions', { instructions: 'Be brief.' }, { instructions: 'Be brief.' }],
  ['added instructions', { instructions: { append: 'Be brief.' } }, { instructions: 'Be kind.\n\nBe brief.' }],
  [
    'a voice, for the first provider',
    { voice: 'cedar' },
    { provider_options: { ...AGENT.provider_options, voice: 'cedar' } },
  ],
  ['a language', { language: 'de' }, { conversation: { idle: { prompts: 1 }, language: 'de' } }],
  ['a duration', { max_call_seconds: 60 }, { max_call_seconds: 60 }],
  ['answering machines, as a whole', { answering_machine: MACHINE }, { answering_machine: MACHINE }],
])('%s of a call change only what they name', (_, overrides, changed) => {
  expect(withOverrides(AGENT, overrides)).toEqual({ ...AGENT, ...changed });
});

const FALLBACKS = [{ provider: 'deepgram' as const, voice: 'aura-2-thalia-en' }];

it.each<[string, StoredPipeline | undefined, object]>([
  [
    'the first synthesizer',
    {
      model: { provider: 'google' },
      synthesizer: { provider: 'cartesia', voice: 'a', speed: 1.1, fallbacks: FALLBACKS },
    },
    {
      model: { provider: 'google' },
      synthesizer: { provider: 'cartesia', voice: 'b', speed: 1.1, fallbacks: FALLBACKS },
    },
  ],
  [
    'the sandbox synthesizer of a pipeline without one',
    undefined,
    { synthesizer: { provider: 'sandbox', voice: 'b' } },
  ],
])('the voice of a call with a pipeline is that of %s', (_, pipeline, expected) => {
  const agent = { ...AGENT, provider: 'pipeline', provider_options: { pipeline } };
  expect(withOverrides(agent, { voice: 'b' }).provider_options).toEqual({ pipeline: expected });
});
