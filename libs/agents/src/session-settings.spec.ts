import { describe, expect, it } from '@jest/globals';
import { conversationSettings, systemPrompt } from './session-settings.js';

it.each([
  ['no settings', null, { idle: {}, bargeIn: {}, phrases: {} }],
  ['some settings', { idle: { prompts: 0 } }, { idle: { prompts: 0 }, bargeIn: {}, phrases: {} }],
  [
    'all settings',
    {
      idle: { after_seconds: 5, prompts: 1 },
      barge_in: { duck_ms: 40, interrupt_ms: 300, guard_ms: 0 },
      phrases: { filler: 'Einen Moment.' },
      language: 'de-DE',
    },
    {
      idle: { afterMs: 5_000, prompts: 1 },
      bargeIn: { duckMs: 40, interruptMs: 300, guardMs: 0 },
      phrases: { filler: 'Einen Moment.' },
    },
  ],
])('%s of a conversation leave the defaults of absent fields in force', (_, stored, settings) => {
  expect(conversationSettings(stored)).toEqual(settings);
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
