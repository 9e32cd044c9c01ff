import { describe, expect, it } from '@jest/globals';
import { dialFormatProblem } from './dial-formats.js';

const extensions = { extensions: { min_digits: 3, max_digits: 5 } };
const at = (user: string): string => `sip:${user}@carrier.example`;

describe('the user part of a SIP URI over a trunk', () => {
  it.each([
    ...['+15551234567', '+881612345678', 'alice', 'Alice.B', 'callee-17', 'room12345678', '3cx', '2nd-floor', 'bob+17'],
    ...['caf%C3%A9', 'a%2540b', 'sales%20desk'],
  ])('%s may be called over every trunk', (user) => expect(dialFormatProblem(at(user), null)).toBeUndefined());

  it.each(['+15551234567', 'sip:carrier.example'])('%s has no user part to refuse', (destination) =>
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
  ])('%s over a trunk with extensions of 3 to 5 digits: may be called is %s', (user, allowed) =>
    expect(dialFormatProblem(at(user), extensions) === undefined).toBe(allowed),
  );
});
