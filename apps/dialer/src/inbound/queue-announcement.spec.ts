import { describe, expect, it } from '@jest/globals';
import { queueAnnouncement } from './queue-announcement.js';

describe('the announcement to a waiting caller', () => {
  it.each<[string, { message: string | null; language: string | null }, number, string, string]>([
    ['is English without a language', { message: null, language: null }, 2, 'You are number two in line.', 'en'],
    [
      'is German for a German number',
      { message: null, language: 'de-AT' },
      3,
      'Sie sind Nummer drei in der Warteschlange.',
      'de-AT',
    ],
    ['has digits for a long queue', { message: null, language: 'en-US' }, 21, 'You are number 21 in line.', 'en-US'],
    [
      'is English for a language without a sentence',
      { message: null, language: 'fr' },
      1,
      'You are number one in line.',
      'en',
    ],
    [
      'is the text of the number, in its language',
      { message: 'Position {{ position }}, {{position}}.', language: 'fr' },
      2,
      'Position 2, 2.',
      'fr',
    ],
    ['may have no position', { message: 'Please hold.', language: null }, 2, 'Please hold.', 'en'],
  ])('%s', (_title, texts, position, text, language) => {
    const announce = { position: true, every_seconds: 30, ...texts };
    expect(queueAnnouncement(announce, position)).toEqual({ text, language });
  });
});
