import { settingsOfNames } from '@app/voice';
import { describe, expect, it } from '@jest/globals';
import type { StoredProviderOptions } from '../agent.entity.js';
import { agentWarnings } from './agent-warnings.js';

const warnings = (names: string[], provider: string, options: StoredProviderOptions = {}) =>
  agentWarnings({ provider, options }, settingsOfNames(names));

const REPLACED = 'Another provider takes its place.';

describe('an agent', () => {
  it.each<[string, string[], string, StoredProviderOptions, [string, string, string][]]>([
    ['of the sandbox works', [], 'sandbox', {}, []],
    ['of sandbox legs works', [], 'pipeline', {}, []],
    [
      'without a key',
      ['REALTIME_MODEL'],
      'openai-realtime',
      { model: 'm' },
      [['agent_not_configured', 'provider', 'Not configured: OPENAI_API_KEY is missing.']],
    ],
    ['with a key and a model', ['OPENAI_API_KEY'], 'openai-realtime', { model: 'm' }, []],
    ['with a key and the model of the installation', ['OPENAI_API_KEY', 'REALTIME_MODEL'], 'openai-realtime', {}, []],
    ['at another server', ['REALTIME_URL'], 'openai-realtime', { model: 'm' }, []],
    [
      'without a model',
      ['GEMINI_API_KEY'],
      'gemini-live',
      {},
      [['agent_not_configured', 'model', 'Not configured: The name of a model is missing.']],
    ],
    ['that the sandbox server plays', ['GEMINI_BASE_URL=sandbox'], 'gemini-live', {}, []],
    [
      'without the model that calls tools',
      ['OPENAI_API_KEY', 'LIVE_MODEL'],
      'openai-live',
      {},
      [['agent_not_configured', 'provider', 'Not configured: LIVE_BACKEND_MODEL is missing.']],
    ],
    [
      'whose fallback works',
      ['GEMINI_API_KEY'],
      'openai-realtime',
      { model: 'm', fallbacks: [{ provider: 'gemini-live', model: 'g' }] },
      [['provider_not_configured', 'provider', `Not configured: OPENAI_API_KEY is missing. ${REPLACED}`]],
    ],
    [
      'whose fallback does not work',
      ['OPENAI_API_KEY'],
      'openai-realtime',
      { model: 'm', fallbacks: [{ provider: 'gemini-live', model: 'g' }] },
      [['provider_not_configured', 'fallbacks.0.provider', `Not configured: GEMINI_API_KEY is missing. ${REPLACED}`]],
    ],
    [
      'of which no leg works',
      [],
      'pipeline',
      {
        pipeline: {
          transcriber: { provider: 'deepgram', fallbacks: [{ provider: 'assemblyai' }] },
          model: { provider: 'anthropic', model: 'c' },
          synthesizer: { provider: 'elevenlabs' },
        },
      },
      [
        ['agent_not_configured', 'pipeline.transcriber.provider', 'Not configured: DEEPGRAM_API_KEY is missing.'],
        [
          'agent_not_configured',
          'pipeline.transcriber.fallbacks.0.provider',
          'Not configured: ASSEMBLYAI_API_KEY is missing.',
        ],
        ['agent_not_configured', 'pipeline.model.provider', 'Not configured: ANTHROPIC_API_KEY is missing.'],
        ['agent_not_configured', 'pipeline.synthesizer.provider', 'Not configured: ELEVENLABS_API_KEY is missing.'],
      ],
    ],
    [
      'of which a leg has a fallback, and a model has no name',
      ['OPENAI_API_KEY', 'DEEPGRAM_URL=sandbox'],
      'pipeline',
      {
        pipeline: {
          transcriber: { provider: 'assemblyai', fallbacks: [{ provider: 'deepgram' }] },
          model: { provider: 'openai' },
        },
      },
      [
        [
          'provider_not_configured',
          'pipeline.transcriber.provider',
          `Not configured: ASSEMBLYAI_API_KEY is missing. ${REPLACED}`,
        ],
        ['agent_not_configured', 'pipeline.model.model', 'Not configured: The name of a model is missing.'],
      ],
    ],
    [
      'that speaks with a program of the dialers',
      ['program:flite'],
      'pipeline',
      { pipeline: { synthesizer: { provider: 'program', fallbacks: [{ provider: 'program', model: 'piper' }] } } },
      [
        [
          'provider_not_configured',
          'pipeline.synthesizer.fallbacks.0.provider',
          `Not configured: PIPER_MODEL is missing. ${REPLACED}`,
        ],
      ],
    ],
    [
      'without a program on the dialers',
      [],
      'pipeline',
      { pipeline: { synthesizer: { provider: 'program', model: 'flite' } } },
      [
        [
          'agent_not_configured',
          'pipeline.synthesizer.provider',
          'Not configured: Install flite for the synthesizer "program".',
        ],
      ],
    ],
  ])('%s', async (_name, names, provider, options, expected) => {
    const found = await warnings(names, provider, options);
    expect(found.map(({ code, field, message }) => [code, field, message])).toEqual(expected);
  });
});
