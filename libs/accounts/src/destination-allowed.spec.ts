import { describe, expect, it } from '@jest/globals';
import { destinationAllowed, destinationRefusal } from './destination-allowed.js';

const open = { allow: [], deny: [] };

describe('destinations', () => {
  it.each([
    ['any number', open, '+15550001111'],
    ['an allowed country', { allow: ['+1'], deny: [] }, '+15550001111'],
    ['an exception from a denial', { allow: ['+1555'], deny: ['+1'] }, '+15550001111'],
    ['premium rate that is allowed explicitly', { allow: ['+1900'], deny: [] }, '+19005550100'],
    ['a satellite network that is allowed explicitly', { allow: ['+8816'], deny: [] }, '+88165550100'],
    ['a number that only looks like premium rate', open, '+441900555010'],
  ])('%s may be called', (_, limits, number) => expect(destinationAllowed(limits, number)).toBeUndefined());

  it.each([
    ['premium rate', open, '+19005550100', 'premium'],
    ['premium rate of an allowed country', { allow: ['+1'], deny: [] }, '+19005550100', 'premium'],
    ['satellite', open, '+881612345678', 'premium'],
    ['shared cost', open, '+4918012345678', 'premium'],
    ['another country than the allowed one', { allow: ['+1'], deny: [] }, '+442071838750', 'not allowed'],
    ['a denied country', { allow: [], deny: ['+44'] }, '+442071838750', 'denied'],
    ['a denied part of an allowed country', { allow: ['+1'], deny: ['+1555'] }, '+15550001111', 'denied'],
    ['a prefix that is both', { allow: ['+1555'], deny: ['+1555'] }, '+15550001111', 'denied'],
  ])('%s may not', (_, limits, number, why) => expect(destinationAllowed(limits, number)).toContain(why));
});

describe('a SIP URI', () => {
  const usOnly = { allow: ['+1'], deny: ['+1555'] };

  it.each([
    ['a name', usOnly, 'sip:alice@example.com'],
    ['an extension', usOnly, 'sip:1001@pbx.example'],
    ['an allowed number', usOnly, 'sip:+12025550100@carrier.example'],
    ['an allowed number without its plus sign', usOnly, 'sip:12025550100@carrier.example'],
    ['any number of an account without limits', open, 'sip:+442071838750@carrier.example'],
  ])('of %s may be called', (_, limits, uri) => expect(destinationRefusal(limits, uri)).toBeUndefined());

  it.each([
    ['premium rate', open, 'sip:+19005550100@carrier.example', 'premium'],
    ['premium rate behind 00', open, 'sip:0019005550100@pbx.example', 'premium'],
    ['premium rate behind an escape', open, 'sip:%2b19005550100@pbx.example', 'premium'],
    ['another country', usOnly, 'sip:442071838750@carrier.example', 'not allowed'],
    ['a denied part', usOnly, 'sip:+1-555-000-1111@carrier.example', 'denied'],
  ])('of %s may not', (_, limits, uri, why) => expect(destinationRefusal(limits, uri)).toContain(why));
});
