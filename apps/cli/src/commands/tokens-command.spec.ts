import { describe, expect, it } from '@jest/globals';
import { expiryOf } from './tokens-command.js';

const now = new Date('2026-11-21T12:00:00Z');

describe('--expires', () => {
  it.each([
    ['12h', '2026-11-22T00:00:00.000Z'],
    ['30d', '2026-12-21T12:00:00.000Z'],
    ['1w', '2026-11-28T12:00:00.000Z'],
    ['2027-01-31', '2027-01-31T00:00:00.000Z'],
    ['2026-11-21T12:00:01Z', '2026-11-21T12:00:01.000Z'],
  ])('accepts %s', (text, expected) => expect(expiryOf(text, now).toISOString()).toBe(expected));

  it.each(['', 'soon', '0d', '-1d', '30', '2020-01-01'])('rejects %j and shows examples', (text) =>
    expect(() => expiryOf(text, now)).toThrow('Examples: 12h, 30d'),
  );
});
