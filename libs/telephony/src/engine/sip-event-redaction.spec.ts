import { describe, expect, it } from '@jest/globals';
import { redactSecrets } from './embedded-engine.js';
import { parseCrypto } from '../media/rtp/srtp-keys.js';

const head = 'REGISTER sip:h SIP/2.0\r\n';

describe('redactSecrets', () => {
  it.each([
    [
      'the response and cnonce of a digest, not the user name',
      'Authorization: Digest username="u",realm="r",nonce="n1",uri="sip:h",response="0123abcd",cnonce="xy,\\"z",qop=auth,nc=00000001',
      'Authorization: Digest username="u",realm="r",nonce="n1",uri="sip:h",response="********",cnonce="****"*",qop=auth,nc=00000001',
    ],
    [
      'an unquoted, oddly spaced response in a folded header',
      'PROXY-Authorization : digest username="u",\r\n response = 0123abcd ,nonce="n"',
      'PROXY-Authorization : digest username="u",\r\n response = ******** ,nonce="n"',
    ],
    ['other schemes completely', 'Authorization: Basic dTpw', 'Authorization: Basic ****'],
    [
      'the mutual authentication of the remote party',
      'Authentication-Info: qop=auth, rspauth="ab12", cnonce="cd34", nc=1',
      'Authentication-Info: qop=auth, rspauth="****", cnonce="****", nc=1',
    ],
    [
      'SRTP keys',
      'a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:c2VjcmV0|2^20|1:4',
      'a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:AAAAAAAA|2^20|1:4',
    ],
    [
      'two SRTP keys, and leaves their parameters',
      'a=crypto:2 AEAD_AES_128_GCM inline:c2VjcmV0cw==|1:4;inline:b3RoZXI=|2^31|2:4 WSH=64 UNENCRYPTED_SRTCP',
      'a=crypto:2 AEAD_AES_128_GCM inline:AAAAAAAAAA==|1:4;inline:AAAAAAA=|2^31|2:4 WSH=64 UNENCRYPTED_SRTCP',
    ],
    [
      'everything behind an SRTP key that comes with another',
      'a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:c2VjcmV0 FEC_KEY=inline:b3RoZXI=',
      `a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:${'*'.repeat(32)}`,
    ],
    [
      'an SRTP key of another form',
      'a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline: c2VjcmV0|no lifetime',
      `a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:${'*'.repeat(21)}`,
    ],
    ['MIKEY', 'a=key-mgmt:mikey AQAFgM0X', 'a=key-mgmt:mikey ********'],
    ['a key of the old kind', 'k=clear:pass', 'k=clear:****'],
    ['ICE passwords', 'a=ice-pwd:asd88fgpdd', 'a=ice-pwd:**********'],
    [
      'the password in a URI',
      'Contact: <sip:alice:sesame@192.0.2.1:5060>',
      'Contact: <sip:alice:******@192.0.2.1:5060>',
    ],
    ['a key that was pressed', 'Content-Type: application/dtmf-relay\r\n\r\nSignal= 5\r\nDuration=160', null],
    ['a key alone', 'Content-Type: application/dtmf\r\n\r\n5\r\n', null],
  ])('masks %s', (_what, line, expected) => {
    const kept = redactSecrets(`${head}${line}`);
    expect(kept).toHaveLength(head.length + line.length);
    expect(kept).toBe(head + (expected ?? line.replace('5', '*')));
  });

  it.each([
    ['a challenge', 'WWW-Authenticate: Digest realm="r",nonce="n",qop="auth"'],
    ['a port', 'Contact: <sip:alice@192.0.2.1:5060;transport=tcp>, <sip:bob@h>'],
    ['IPv6', 'Contact: <sip:[2001:db8::1]:5060>'],
    ['a body of one digit', 'Content-Type: text/plain\r\n\r\n5'],
  ])('leaves %s unchanged', (_what, line) => {
    expect(redactSecrets(head + line)).toBe(head + line);
  });

  it('keeps a session description with masked SRTP keys readable for tools', () => {
    const key = Buffer.alloc(30, 0xfb).toString('base64');
    const line = `a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:${key}|2^31`;
    const kept = redactSecrets(`${head}${line}`);
    expect(kept).not.toContain(key);
    expect(parseCrypto(kept.slice(head.length + 2))).toMatchObject({ tag: 1, suite: 'AES_CM_128_HMAC_SHA1_80' });
  });

  it('masks a message that was built to be slow in linear time', () => {
    const hostile = `${head}X: ${'sip:a:'.repeat(10_000)}\r\nAuthorization: Digest ${'response='.repeat(6_000)}\r\na=crypto:1 X inline:${'A1;inline:'.repeat(5_000)}!`;
    const start = process.cpuUsage();
    redactSecrets(hostile);
    // Linear work takes a few milliseconds; backtracking would take minutes.
    expect(process.cpuUsage(start).user).toBeLessThan(2_000_000);
  });
});
