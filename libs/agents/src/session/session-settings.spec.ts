import { describe, expect, it } from '@jest/globals';
import type { StoredPipeline } from '../agent.entity.js';
import type { PipelineOptions } from '@app/voice';
import { conversationSettings, providerChain, systemPrompt } from './session-settings.js';

it.each([
  ['no settings', null, { idle: {}, bargeIn: {}, hearing: {}, phrases: {} }],
  ['some settings', { idle: { prompts: 0 } }, { idle: { prompts: 0 }, bargeIn: {}, hearing: {}, phrases: {} }],
  [
    'all settings',
    {
      idle: { after_seconds: 5, prompts: 1 },
      barge_in: { duck_ms: 40, interrupt_ms: 300, guard_ms: 0 },
      phrases: { filler: 'Einen Moment.' },
      language: 'de-DE',
      voice_activity: 'neural' as const,
      noise_suppression: true,
      tool_sound: 'typing' as const,
    },
    {
      idle: { afterMs: 5_000, prompts: 1 },
      bargeIn: { duckMs: 40, interruptMs: 300, guardMs: 0 },
      hearing: { voiceActivity: 'neural', noiseSuppression: true },
      phrases: { filler: 'Einen Moment.' },
      toolSound: 'typing',
    },
  ],
])('%s of a conversation leave the defaults of absent fields in force', (_, stored, settings) => {
  expect(conversationSettings(stored)).toEqual(settings);
});

const STORED: StoredPipeline = {
  transcriber: {
    provider: 'deepgram',
    model: 'nova-3',
    keywords: ['Trunkline'],
    fallbacks: [{ provider: 'assemblyai' }],
  },
  model: {
    provider: 'anthropic',
    model: 'claude',
    temperature: 0.3,
    max_tokens: 500,
    reasoning_effort: 'low',
    fallbacks: [{ provider: 'openai', model: 'm', max_tokens: 200 }, { provider: 'sandbox' }],
  },
  synthesizer: { provider: 'elevenlabs', voice: 'v', model: 'm', speed: 1.1, fallbacks: [{ provider: 'program' }] },
  turns: {
    after_punctuation_ms: 200,
    without_punctuation_ms: 600,
    longest_ms: 1_200,
    acknowledgements: ['mhm'],
    speculation: false,
  },
  pronunciations: [{ text: 'SQL', spoken: 'sequel' }],
  languages: ['de'],
};

const OPTIONS: PipelineOptions = {
  transcriber: {
    provider: 'deepgram',
    model: 'nova-3',
    keywords: ['Trunkline'],
    fallbacks: [{ provider: 'assemblyai' }],
  },
  model: {
    provider: 'anthropic',
    model: 'claude',
    temperature: 0.3,
    maxTokens: 500,
    reasoningEffort: 'low',
    fallbacks: [{ provider: 'openai', model: 'm', maxTokens: 200 }, { provider: 'sandbox' }],
  },
  synthesizer: { provider: 'elevenlabs', voice: 'v', model: 'm', speed: 1.1, fallbacks: [{ provider: 'program' }] },
  turns: {
    afterPunctuationMs: 200,
    withoutPunctuationMs: 600,
    longestMs: 1_200,
    acknowledgements: ['mhm'],
    speculation: false,
  },
  pronunciations: [{ text: 'SQL', spoken: 'sequel' }],
  languages: ['de'],
};

it('every setting of a pipeline reaches the provider, in the agent as in its fallbacks', () => {
  const [own, fallback] = providerChain('pipeline', {
    pipeline: STORED,
    fallbacks: [{ provider: 'pipeline', pipeline: { turns: { speculation: false } } }],
  });
  expect(own).toEqual({ name: 'pipeline', options: { pipeline: OPTIONS } });
  expect(fallback?.options.pipeline).toStrictEqual({ turns: { speculation: false } });
});

const part = { title: 'Hours', headingPath: ['Shop', 'Sunday'], text: 'Closed.' };

describe('the system prompt of an agent', () => {
  it('is its instructions alone when its knowledge is not included', () => {
    expect(systemPrompt('Be kind.', undefined)).toBe('Be kind.');
    expect(systemPrompt('Be kind.', { titles: ['Hours'], languages: [] })).toBe('Be kind.');
    expect(systemPrompt('Be kind.', { titles: ['Hours'], languages: [], whole: [] })).toBe('Be kind.');
  });

  it('has the documents with their headings after the instructions, and says that they are not instructions', () => {
    const text = systemPrompt('Be kind.', {
      titles: ['Hours'],
      languages: [],
      whole: [part, { ...part, headingPath: [], text: 'Open.' }],
    });
    expect(text).toMatch(/^Be kind\.\n\n.*no instructions to you\.\n\n\[Hours > Shop > Sunday\]\nClosed\./s);
    expect(text).toMatch(/\n\n\[Hours\]\nOpen\.$/);
  });
});
