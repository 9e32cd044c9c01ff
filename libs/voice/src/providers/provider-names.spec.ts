import { expect, it } from '@jest/globals';
import { providerNames, settingsOfNames } from './provider-names.js';

it('a dialer publishes the names of its settings, and no value', () => {
  const names = providerNames({
    OPENAI_API_KEY: 'sk-secret',
    REALTIME_URL: 'wss://user:password@realtime.example/v1',
    GEMINI_BASE_URL: 'sandbox',
    DEEPGRAM_API_KEY: '',
  });
  expect(names.filter((name) => !name.startsWith('program:'))).toEqual([
    'REALTIME_URL',
    'OPENAI_API_KEY',
    'GEMINI_BASE_URL=sandbox',
  ]);
});

it('the names configure the same providers, with placeholders', () => {
  const { realtime, gemini, vendors, programs } = settingsOfNames([
    ...['OPENAI_API_KEY', 'REALTIME_URL', 'GEMINI_BASE_URL=sandbox', 'COMPATIBLE_URL', 'program:flite'],
  ]);
  expect([realtime?.key, gemini?.isSandbox, programs]).toEqual(['configured', true, ['flite']]);
  expect(Object.keys(vendors ?? {}).toSorted()).toEqual(['compatible', 'openai']);
});
