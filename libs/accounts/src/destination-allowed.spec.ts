import { describe, expect, it } from '@jest/globals';
import { destinationAllowed } from './destination-allowed.js';

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
