import { describe, expect, it } from '@jest/globals';
import { maskDialogIdentifiers } from './dialog-identifiers.js';

describe('the identifiers of a live dialog', () => {
  it.each<[string, string]>([
    ['From: <sip:a@b.test>;tag=1a2b', 'From: <sip:a@b.test>;tag=****'],
    ['t: "A;tag=x" <sip:a@b.test> ; Tag = 1a2b;x=y', 't: "A;tag=*" <sip:a@b.test> ; Tag = ****;x=y'],
    ['To: <sip:a@b.test>\r\n ;tag=1a2b', 'To: <sip:a@b.test>\r\n ;tag=****'],
    [
      'Via: SIP/2.0/UDP h;branch=z9hG4bK1;rport, SIP/2.0/UDP i;branch=x',
      'Via: SIP/2.0/UDP h;branch=********;rport, SIP/2.0/UDP i;branch=*',
    ],
    ['Replaces: c1;to-tag=ab;from-tag=cd', 'Replaces: c1;to-tag=**;from-tag=**'],
    ['Refer-To: <sip:a@b.test?Replaces=c1%3Bto-tag%3Dab>', 'Refer-To: <sip:a@b.test?Replaces=c1%3Bto-tag%3D**>'],
    ['Call-ID: c1', 'Call-ID: c1'],
    ['a=label:tag=1', 'a=label:tag=1'],
  ])('%j becomes %j', (text, masked) => {
    expect(maskDialogIdentifiers(Buffer.from(text, 'latin1')).toString('latin1')).toBe(masked);
  });

  it('are masked without a change of any other byte', () => {
    const bytes = Buffer.concat([Buffer.from('To: <x>;tag=ab\r\n\r\n'), Buffer.from([0xff, 0x00, 0xe4])]);
    const masked = maskDialogIdentifiers(bytes);
    expect(masked.toString('latin1')).toBe('To: <x>;tag=**\r\n\r\n\xff\x00\xe4');
    expect(masked).toHaveLength(bytes.length);
  });
});
