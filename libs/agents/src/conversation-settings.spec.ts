import { expect, it } from '@jest/globals';
import { conversationSettings } from './conversation-settings.js';

it.each([
  ['nothing', null, { idle: {}, bargeIn: {}, phrases: {} }],
  ['a part', { idle: { prompts: 0 } }, { idle: { prompts: 0 }, bargeIn: {}, phrases: {} }],
  [
    'everything',
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
])('%s that an agent says about its conversation hides no default', (_, stored, settings) => {
  expect(conversationSettings(stored)).toEqual(settings);
});
