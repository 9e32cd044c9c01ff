import { describe, expect, it } from '@jest/globals';
import { disclosureFor, numberIn } from './disclosure.js';

const STORED = [
  { language: 'en', text: 'I am an assistant.' },
  { language: 'en-US', text: 'I am a US assistant.' },
  { language: 'en', prefix: '+1415', text: 'I am a bot, in California.' },
  { language: 'en', prefix: '+1', text: 'I am a bot.' },
  { language: 'de', prefix: '+49', text: 'Ich bin ein Assistent.' },
];

describe('disclosureFor', () => {
  it.each([
    ['en', '+447700900123', 'I am an assistant.'],
    ['en-US', '+447700900123', 'I am a US assistant.'],
    ['en-GB', '+447700900123', 'I am an assistant.'],
    ['en', '+12025550100', 'I am a bot.'],
    ['en-US', '+14155550100', 'I am a bot, in California.'],
    ['en', undefined, 'I am an assistant.'],
    ['de-AT', '+4930123456', 'Ich bin ein Assistent.'],
    ['de', '+43123456789', undefined],
    ['de', undefined, undefined],
    ['fr', '+4930123456', undefined],
    [undefined, '+4930123456', 'Ich bin ein Assistent.'],
    [undefined, undefined, 'I am an assistant.'],
  ])('language %s, number %s', (language, number, text) => {
    expect(disclosureFor(STORED, { language, number })?.text).toBe(text);
  });

  it('leaves a sentence of an agent without a language to the local voice', () => {
    const found = disclosureFor(STORED, { language: undefined, number: undefined });
    expect(found).toEqual({ language: 'en', text: 'I am an assistant.', isForeign: true });
  });
});

describe('numberIn', () => {
  it.each([
    ['+4930123456', '+4930123456'],
    ['sip:+4930123456@example.com', '+4930123456'],
    ['sips:+4930123456', '+4930123456'],
    ['sip:anna@example.com', undefined],
    ['', undefined],
  ])('%s', (address, number) => expect(numberIn(address)).toBe(number));
});
