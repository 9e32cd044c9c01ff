import { describe, expect, it } from '@jest/globals';
import { covers, listedNumber, mergeEntry, readImportRow, readNumber } from './do-not-call.js';

describe('an entry of the do-not-call list', () => {
  it.each([
    ['+1 (202) 555-0100', { number: '+12025550100', isPrefix: false }],
    ['+1900*', { number: '+1900', isPrefix: true }],
    ['+1 900 *', { number: '+1900', isPrefix: true }],
    ['+1*', { number: '+1', isPrefix: true }],
    ['12025550100', { problem: expect.stringContaining('E.164') }],
    ['+0123456789', { problem: expect.stringContaining('E.164') }],
    ['*', { problem: expect.stringContaining('beginning') }],
    ['+1900x*', { problem: expect.stringContaining('beginning') }],
    ['', { problem: expect.stringContaining('E.164') }],
  ])('is read from %j', (text, expected) => expect(readNumber(text)).toEqual(expected));

  it.each([
    ['+12025550100', '+12025550100'],
    ['sip:+12025550100@carrier.example', '+12025550100'],
    ['sip:0012025550100@carrier.example', '+12025550100'],
    ['sip:12025550100@carrier.example;user=phone', '+12025550100'],
    ['sip:%2B12025550100@carrier.example', '+12025550100'],
    ['sip:alice@carrier.example', undefined],
    ['sip:100@pbx.example', undefined],
  ])('covers what a carrier would dial for %s', (destination, number) =>
    expect(listedNumber(destination)?.number).toBe(number),
  );

  it('is found by every beginning of a number', () =>
    expect(listedNumber('+4930123')?.beginnings).toEqual([
      ...['+4', '+49', '+493', '+4930', '+49301', '+493012', '+4930123'],
    ]));

  it.each([
    ['+1900', true, '+19005550100', true],
    ['+1900', false, '+19005550100', false],
    ['+19005550100', false, '+19005550100', true],
    ['+19005550100', true, '+1900555010', false],
  ])('%s (prefix: %s) covers %s: %s', (number, isPrefix, called, expected) =>
    expect(covers({ number, isPrefix }, called)).toBe(expected),
  );

  it('keeps the later expiry and the first reason when it is imported twice', () => {
    const entry = (reason: string | null, until: string | null) => ({
      ...{ number: '+12025550100', isPrefix: false, reason },
      expiresAt: until === null ? null : new Date(until),
    });
    expect(mergeEntry(entry(null, '2030-01-01'), entry('b', '2031-01-01'))).toEqual(entry('b', '2031-01-01'));
    expect(mergeEntry(entry('a', '2030-01-01'), entry('b', null))).toEqual(entry('a', null));
  });

  it.each([
    [{ number: '+12025550100' }, { number: '+12025550100', isPrefix: false, reason: null, expiresAt: null }],
    [
      { number: '+1900*', reason: ' x ', expires_at: '2030-01-01' },
      { number: '+1900', isPrefix: true, reason: 'x', expiresAt: new Date('2030-01-01T00:00:00Z') },
    ],
    [{ number: '(0171) 2345678' }, { number: '+491712345678', isPrefix: false, reason: null, expiresAt: null }],
    [{}, { problem: 'number is missing' }],
    [{ number: '0900*' }, { problem: expect.stringMatching(/^number must be the beginning/) }],
    [{ number: '+12025550100', expires_at: '01/02/2030' }, { problem: expect.stringMatching(/^expires_at must/) }],
    [{ number: '+12025550100', expires_at: '2030-13-01' }, { problem: expect.stringMatching(/^expires_at must/) }],
    [{ number: '+12025550100', expires_at: '2020-01-01' }, { problem: 'expires_at must be in the future' }],
    [{ number: '+12025550100', reason: 'x'.repeat(501) }, { problem: expect.stringMatching(/^reason must/) }],
  ])('is read from the row %j of a file', (row, expected) =>
    expect(readImportRow(row, { now: new Date('2026-01-01T00:00:00Z'), country: 'DE' })).toEqual(expected),
  );
});
