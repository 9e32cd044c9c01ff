import { describe, expect, it } from '@jest/globals';
import { normaliseE164 } from './e164.js';

describe('E.164', () => {
  it.each([
    ['+15550001111', '+15550001111'],
    ['+1 (555) 000-1111', '+15550001111'],
    ['+49.30/123 45 67', '+49301234567'],
    ['15550001111', undefined],
    ['+05550001111', undefined],
    ['+123456', undefined],
    ['+1234567890123456', undefined],
    ['+1555000111a', undefined],
    ['sip:answer@127.0.0.1', undefined],
    ['', undefined],
  ])('%s -> %s', (text, expected) => expect(normaliseE164(text)).toBe(expected));
});
