import { sipDestination } from '@app/telephony';
import { describe, expect, it } from '@jest/globals';
import { destinationRefusal, mayBeDialled } from './destination-policy.js';
import { sipHostOf } from './parse-destination.js';

const open = { allow: [], deny: [] };

describe('a SIP URI with several @', () => {
  it.each([
    'sip:911@carrier.example;x=y@harmless.example',
    'sip:911@carrier.example?x=y@harmless.example',
    'sip:911@carrier.example:5060;user=phone;x=alice@harmless.example:5080',
  ])('is checked with the user and the host of the INVITE: %s', (uri) => {
    const { nextHops } = sipDestination({ kind: 'sip', uri }, undefined);
    expect([nextHops[0]?.host, sipHostOf(uri)?.host]).toEqual(['carrier.example', 'carrier.example']);
    expect([mayBeDialled(uri), destinationRefusal(open, uri)]).toEqual([true, expect.stringMatching(/not allowed/)]);
  });
});
