import { Encryption } from '@app/common';
import { describe, expect, it } from '@jest/globals';
import { openHeaders, sealHeaders, validateWebhookHeaders, newWebhookSecret } from './webhook-headers.js';

const many = (count: number) => Array.from({ length: count }, (_, index) => ({ key: `X-${index}`, value: 'a' }));

describe('webhook headers', () => {
  it.each([
    [[]],
    [many(20)],
    [[{ key: 'Authorization', value: 'Bearer abc' }]],
    [[{ key: 'a'.repeat(128), value: 'v'.repeat(2048) }]],
    [[{ key: 'X-Empty', value: '' }]],
    [[{ key: 'User-Agent', value: 'mine' }]],
  ])('accepts %j', (headers) => expect(validateWebhookHeaders(headers)).toBeUndefined());

  it.each([
    [many(21), 'at most 20'],
    [[{ key: 'a'.repeat(129), value: '' }], 'name'],
    [[{ key: '', value: '' }], 'name'],
    [[{ key: 'X Team', value: '' }], 'name'],
    [[{ key: 'X-Team:', value: '' }], 'name'],
    [[{ key: 'X-Ä', value: '' }], 'name'],
    [[{ key: 'X-A', value: 'v'.repeat(2049) }], 'longer than 2048'],
    [[{ key: 'X-A', value: 'é'.repeat(1025) }], 'longer than 2048'],
    [[{ key: 'X-A', value: 'a\r\nX-B: c' }], 'control characters'],
    [[{ key: 'X-A', value: '☎' }], 'control characters'],
    [
      [
        { key: 'X-A', value: '1' },
        { key: 'x-a', value: '2' },
      ],
      'more than once',
    ],
  ])('rejects %j: %s', (headers, why) => expect(validateWebhookHeaders(headers)).toContain(why));

  it.each(
    `Host Content-Length transfer-encoding Connection Upgrade Expect TE Trailer Keep-Alive Proxy-Authorization Webhook-Id
     webhook-signature Accept-Encoding`.split(/\s+/),
  )('rejects %s, which the service sets', (key) =>
    expect(validateWebhookHeaders([{ key, value: 'x' }])).toContain('set by the service'),
  );

  it('are stored encrypted', () => {
    const encryption = new Encryption('k'.repeat(32));
    const headers = [{ key: 'Authorization', value: 'Bearer abc' }];
    const sealed = sealHeaders(encryption, headers);
    expect(Buffer.from(sealed!, 'base64').toString('latin1')).not.toContain('Bearer');
    expect(openHeaders(encryption, sealed)).toEqual(headers);
    expect(openHeaders(encryption, Buffer.from(sealed!, 'base64'))).toEqual(headers);
    expect(() => openHeaders(new Encryption('x'.repeat(32)), sealed)).toThrow('unable to authenticate');
  });

  it('are not stored when there are none', () => {
    expect(sealHeaders(new Encryption('k'.repeat(32)), [])).toBeUndefined();
    expect(openHeaders(new Encryption('k'.repeat(32)), null)).toEqual([]);
  });
});

it('a secret has 32 random bytes', () => {
  const secret = newWebhookSecret();
  expect(secret).toMatch(/^whsec_/);
  expect(Buffer.from(secret.slice(6), 'base64')).toHaveLength(32);
  expect(newWebhookSecret()).not.toBe(secret);
});
