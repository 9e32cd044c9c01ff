import { describe, expect, it } from '@jest/globals';
import { dialRefusal, redirectAllowed, type DestinationPolicy, transferRefusal } from './destination-policy.js';

const open: DestinationPolicy = {
  destinations_allow: [],
  destinations_deny: [],
  daily_spend_micros: null,
  spent_micros: '0',
  trunk: null,
};
const usOnly = { ...open, destinations_allow: ['+1'], destinations_deny: ['+1555'] };

describe('a call that waited while the limits of its account changed', () => {
  it.each<[string, Partial<DestinationPolicy & { active: boolean }>, string, string | undefined]>([
    ['nothing has changed', {}, '+15551234567', undefined],
    ['its agent, number or trunk is inactive now', { active: false }, '+15551234567', 'deactivated'],
    ['the destination is denied now', { destinations_deny: ['+1555'] }, '+15551234567', 'blocked_destination'],
    ['only another country is allowed now', { destinations_allow: ['+44'] }, '+15551234567', 'blocked_destination'],
    ['a SIP URI has no prefix to deny', { destinations_allow: ['+44'] }, 'sip:a@b.example', undefined],
    ['a SIP URI is a number', { destinations_allow: ['+44'] }, 'sip:15551234567@b.example', 'blocked_destination'],
    ['the day is not spent', { daily_spend_micros: '100', spent_micros: '99' }, '+15551234567', undefined],
    ['the day is spent', { daily_spend_micros: '100', spent_micros: '100' }, '+15551234567', 'spend_limit'],
    [
      'the day is spent, and a URI',
      { daily_spend_micros: '100', spent_micros: '100' },
      'sip:a@b.example',
      'spend_limit',
    ],
  ])('%s', (_name, change, to_number, cause) =>
    expect(dialRefusal({ ...open, active: true, ...change, to_number })).toBe(cause),
  );
});

describe('a call over a trunk', () => {
  const extensions = { extensions: { min_digits: 2, max_digits: 4 } };

  it.each<[string, string, object | null, string | undefined]>([
    ['a national number', 'sip:09061234567@b.example', null, 'blocked_destination'],
    ['an extension that was allowed when the call was created', 'sip:1001@b.example', null, 'blocked_destination'],
    ['an extension that is allowed', 'sip:1001@b.example', extensions, undefined],
    ['a name', 'sip:alice@b.example', null, undefined],
    ['an E.164 number', 'sip:+12025550100@b.example', null, undefined],
  ])('%s', (_name, to_number, dial_formats, cause) => {
    const order = {
      ...open,
      active: true,
      to_number,
      trunk: { dial_formats: dial_formats as typeof extensions | null },
    };
    expect(dialRefusal(order)).toBe(cause);
    expect(redirectAllowed(order, to_number)).toBe(cause === undefined);
    expect(transferRefusal(order, to_number)).toBe(cause);
  });
});

describe('a transfer', () => {
  it.each<[string, DestinationPolicy, string, string | undefined]>([
    ['to an allowed number', usOnly, '+12025550100', undefined],
    ['to another country', usOnly, '+442071838750', 'blocked_destination'],
    ['to a denied part of an allowed country', usOnly, '+15550001111', 'blocked_destination'],
    ['to premium rate', open, '+19005550100', 'blocked_destination'],
    ['to premium rate by a URI', open, 'sip:0019005550100@b.example', 'blocked_destination'],
    ['when the day is spent', { ...open, daily_spend_micros: '1', spent_micros: '2' }, '+12025550100', 'spend_limit'],
  ])('%s', (_name, limits, number, cause) => expect(transferRefusal(limits, number)).toBe(cause));
});

describe('a redirection (3xx)', () => {
  it.each<[string, DestinationPolicy, string, boolean]>([
    ['to a name', usOnly, 'sip:alice@b.example', true],
    ['to an allowed number', usOnly, 'sip:+12025550100@b.example;user=phone', true],
    ['to premium rate', open, 'sip:+19005550100@b.example', false],
    ['to premium rate by a tel: URI', open, 'tel:+1-900-555-0100', false],
    ['to another country', usOnly, 'sip:00442071838750@b.example', false],
    ['over TLS to another country', usOnly, 'sips:+442071838750@b.example', false],
    // Calls that are on the line are not counted yet: the money is asked for before the INVITE.
    ['when the day is spent', { ...usOnly, daily_spend_micros: '1', spent_micros: '2' }, 'sip:alice@b.example', true],
  ])('%s', (_name, limits, uri, allowed) => expect(redirectAllowed(limits, uri)).toBe(allowed));
});
