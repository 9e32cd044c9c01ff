import { describe, expect, it } from '@jest/globals';
import {
  destinationAllowed,
  destinationRefusal,
  dialFormatProblem,
  dialledNumber,
  mayBeDialled,
  normaliseE164,
} from './destination-policy.js';

const open = { allow: [], deny: [] };

describe('the destination policy of an account', () => {
  it.each([
    ['any number', open, '+15550001111'],
    ['an allowed country', { allow: ['+1'], deny: [] }, '+15550001111'],
    ['an exception from a denial', { allow: ['+1555'], deny: ['+1'] }, '+15550001111'],
    ['premium rate that is allowed explicitly', { allow: ['+1900'], deny: [] }, '+19005550100'],
    ['a satellite network that is allowed explicitly', { allow: ['+8816'], deny: [] }, '+88165550100'],
    ['a number that only looks like premium rate', open, '+441900555010'],
  ])('allows %s', (_, limits, number) => expect(destinationAllowed(limits, number)).toBeUndefined());

  it.each([
    ['premium rate', open, '+19005550100', 'premium'],
    ['premium rate of an allowed country', { allow: ['+1'], deny: [] }, '+19005550100', 'premium'],
    ['satellite', open, '+881612345678', 'premium'],
    ['shared cost', open, '+4918012345678', 'premium'],
    ['another country than the allowed one', { allow: ['+1'], deny: [] }, '+442071838750', 'not allowed'],
    ['a denied country', { allow: [], deny: ['+44'] }, '+442071838750', 'denied'],
    ['a denied part of an allowed country', { allow: ['+1'], deny: ['+1555'] }, '+15550001111', 'denied'],
    ['a prefix that is both', { allow: ['+1555'], deny: ['+1555'] }, '+15550001111', 'denied'],
  ])('refuses %s', (_, limits, number, why) => expect(destinationAllowed(limits, number)).toContain(why));
});

describe('the destination policy for a SIP URI', () => {
  const usOnly = { allow: ['+1'], deny: ['+1555'] };

  it.each([
    ['a name', usOnly, 'sip:alice@example.com'],
    ['an extension', usOnly, 'sip:1001@pbx.example'],
    ['an allowed number', usOnly, 'sip:+12025550100@carrier.example'],
    ['an allowed number without its plus sign', usOnly, 'sip:12025550100@carrier.example'],
    ['any number of an account without limits', open, 'sip:+442071838750@carrier.example'],
    ['an extension of two digits', open, 'sip:11@pbx.example'],
    ['the first extension of most PBXs', open, 'sip:100@pbx.example'],
    ['an extension of seven digits', open, 'sip:5550100@pbx.example'],
    ['an extension that begins like a short code', open, 'sip:9110@pbx.example'],
    ['a feature code', open, 'sip:*97@pbx.example'],
    ['a number behind an outside line', open, 'sip:9+12025550100@pbx.example'],
    ['an extension behind an outside line', open, 'sip:9*1001@pbx.example'],
  ])('allows %s', (_, limits, uri) => expect(destinationRefusal(limits, uri)).toBeUndefined());

  it.each([
    ['premium rate', open, 'sip:+19005550100@carrier.example', 'premium'],
    ['premium rate behind 00', open, 'sip:0019005550100@pbx.example', 'premium'],
    ...[
      '9+19005551212',
      '0+19005551212',
      '9,%2B19005551212',
      '1+9005551212',
      '+1+9005551212',
      '+12025550100+19005551212',
    ].map((user): [string, typeof open, string, string] => [
      `premium rate behind a plus sign that is not the first (${user})`,
      open,
      `sip:${user}@pbx.example`,
      'premium',
    ]),
    ['premium rate before another plus sign', open, 'sip:+19005551212+12025550100@pbx.example', 'premium'],
    ['an emergency number behind an outside line', open, 'sip:9+911@pbx.example', 'not allowed'],
    ['another country behind an outside line', usOnly, 'sip:9*442071838750@pbx.example', 'not allowed'],
    ['premium rate behind an escape', open, 'sip:%2b19005550100@pbx.example', 'premium'],
    ['another country', usOnly, 'sip:442071838750@carrier.example', 'not allowed'],
    ['a denied part', usOnly, 'sip:+1-555-000-1111@carrier.example', 'denied'],
    ['a national number, whose country is unknown', usOnly, 'sip:09061234567@carrier.example', 'not allowed'],
    ['a short number with a plus sign', usOnly, 'sip:+4420@carrier.example', 'not allowed'],
    ...['911', '9-1-1', '%3911', '+112', '00112', '011911', '112', '999', '000', '*67911', '911;phone-context=+1'].map(
      (user): [string, typeof open, string, string] => [
        `an emergency number (${user})`,
        open,
        `sip:${user}@h`,
        'not allowed',
      ],
    ),
    ...['411', '611', '116117', '11880', '118500'].map((user): [string, typeof open, string, string] => [
      `a short code (${user})`,
      open,
      `sip:${user}@h`,
      'not allowed',
    ]),
  ])('refuses %s', (_, limits, uri, why) => expect(destinationRefusal(limits, uri)).toContain(why));
});

describe('the user part that a carrier without credentials may dial', () => {
  it.each(['+19005550100', '911', '1001', '9005551212', '09061234567', '%2b1900', '(900)-555', '*67911', '1-900'])(
    '%s is not a name',
    (user) => expect(mayBeDialled(`sip:${user}@carrier.example`)).toBe(true),
  );
  it.each(['alice', 'callee-17', '3cx', 'room12345678'])('%s is a name', (user) =>
    expect(mayBeDialled(`sip:${user}@carrier.example`)).toBe(false),
  );
});

describe('the number that a carrier dials for a destination', () => {
  it.each([
    ['+19005550100', '+19005550100'],
    ['sip:+19005550100@carrier.example', '+19005550100'],
    ['SIP:+1-900-555.0100@carrier.example:5070;transport=tcp', '+19005550100'],
    ['sip:%2B19005550100@carrier.example', '+19005550100'],
    ['sip:+1900%355550100@carrier.example', '+190055550100'],
    ['sip:+1(900)5550100@carrier.example', '+19005550100'],
    ['sip:0019005550100@carrier.example', '+19005550100'],
    ['sip:01119005550100@carrier.example', '+19005550100'],
    ['sip:19005550100@carrier.example', '+19005550100'],
    ['sip:*6719005550100@carrier.example', '+19005550100'],
    ['sip:*67*0019005550100@carrier.example', '+19005550100'],
    ['sip:%2A67%2B19005550100@carrier.example', '+19005550100'],
    ['sip:+19005550100,,123@carrier.example', '+19005550100123'],
    ['sip:+19005550100x12@carrier.example', '+19005550100'],
    ['sip:+19005550100/x@carrier.example', '+19005550100'],
    ['sip:+19005550100;phone-context=x@carrier.example', '+19005550100'],
    ['sip:+1,900,5550100@carrier.example', '+19005550100'],
    ["sip:+1!900'555_0100@carrier.example", '+19005550100'],
    ['sip:%252B19005550100@carrier.example', '+19005550100'],
    ['sip:%25252B19005550100@carrier.example', '+19005550100'],
    ['sip:+1%EF%BC%99005550100@carrier.example', '+19005550100'],
    ['tel:+1-900-555-0100', '+19005550100'],
    ['sips:+19005550100@carrier.example', '+19005550100'],
    ['sip:19005550@carrier.example', '+19005550'],
    ['sip:001900555@carrier.example', '+1900555'],
    ['sip:19005550100x12@carrier.example', '+19005550100'],
    ['sip:19005550100w1@carrier.example', '+19005550100'],
    ['sip:+19@example.com', '+19'],
    ['sip:+190055@example.com', '+190055'],
    ['sip:00112@pbx.example', '+112'],
    ['sip:09001234567@pbx.example', '+09001234567'],
    ['sip:0900-123.4567@pbx.example', '+09001234567'],
    ['sip:9+19005551212@pbx.example', '+19005551212'],
    ['sip:12025550100#123@pbx.example', '+12025550100'],
    ['sip:+12025550100+1@pbx.example', '+12025550100'],
  ])('for %s is %s', (destination, number) => expect(dialledNumber(destination)).toBe(number));

  it.each([
    ['sip:alice@example.com'],
    ['sip:1001@pbx.example'],
    ['sip:5550100@pbx.example'],
    ['sip:room12345678@example.com'],
    ['sip:12345678abc@example.com'],
    ['sip:12345678ABC@example.com'],
    ['sip:192.168.100.20'],
    ['sip:*97@pbx.example'],
    ['sip:example.com'],
    ['sip:callee-17@127.0.0.1'],
    [''],
  ])('is undefined for %j, which is not read as a number', (destination) =>
    expect(dialledNumber(destination)).toBeUndefined(),
  );
});

const extensions = { extensions: { min_digits: 3, max_digits: 5 } };
const at = (user: string): string => `sip:${user}@carrier.example`;

describe('the user part of a SIP URI over a trunk', () => {
  it.each([
    ...['+15551234567', '+881612345678', 'alice', 'Alice.B', 'callee-17', 'room12345678', '3cx', '2nd-floor', 'bob+17'],
    ...['caf%C3%A9', 'a%2540b', 'sales%20desk'],
  ])('%s may be called over every trunk', (user) => expect(dialFormatProblem(at(user), null)).toBeUndefined());

  it.each(['+15551234567', 'sip:carrier.example'])('%s has no user part that could be refused', (destination) =>
    expect(dialFormatProblem(destination, null)).toBeUndefined(),
  );

  it.each([
    ...['09061234567', '0011881612345678', '010881612345678', '9005551212', '9011881612345678', '15551234567', '1001'],
    ...['+1,9005551212', '+1.900.555.1212', '+1-555-123-4567', '(900)5551212', '9*0#0', '%2a6719005551212', '*97'],
    ...['%2B15551234567', '%252B19005551212', '%25252B19005551212', '%3900555%31212', '%EF%BC%99005551212'],
    ...['%D9%A9%D9%A0%D9%A0', '9005551212%3Bphone-context=national', '9005551212&x', '9005551212/alice', '%FF900'],
    ...['+1900FLOWERS', '+15551234567x12', '9005551212w1', '9005551212abc', 'tel%3A9005551212', '+123456789012345678'],
    ...['+0123456789', '+1555', '00'],
  ])('%s is refused where only E.164 numbers and names are allowed', (user) =>
    expect(dialFormatProblem(at(user), null)).toContain('E.164'),
  );

  it.each([
    ['12', false],
    ['123', true],
    ['00123', true],
    ['12345', true],
    ['123456', false],
    ['1%323', false],
    ['1-23', false],
    ['*123', false],
    ['+123', false],
    ['09061234567', false],
    ['+15551234567', true],
    ['alice', true],
  ])('%s over a trunk with extensions of 3 to 5 digits is allowed: %s', (user, allowed) =>
    expect(dialFormatProblem(at(user), extensions) === undefined).toBe(allowed),
  );
});

describe('an E.164 number', () => {
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
  ])('normalises %j to %j', (text, expected) => expect(normaliseE164(text)).toBe(expected));
});
