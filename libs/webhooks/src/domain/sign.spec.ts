import { describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { newWebhookSecret, sign } from './sign.js';

describe('a signature', () => {
  const timestamp = Math.floor(Date.now() / 1000);
  const headersOf = (secrets: string[], body: string) => ({
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(timestamp),
    'webhook-signature': sign(secrets, 'msg_1', timestamp, body),
  });

  it.each(['{"a":1}', '{"text":"Grüße ☎ 🎉"}', '[]'])('of %s is accepted by the reference library', (body) => {
    const secret = newWebhookSecret();
    expect(new Webhook(secret).verify(body, headersOf([secret], body))).toEqual(JSON.parse(body));
  });

  it('of an empty body is accepted by the reference library', () => {
    const secret = newWebhookSecret();
    expect(() => new Webhook(secret).verify('', headersOf([secret], ''))).not.toThrow();
  });

  it('is made with both secrets during a rotation', () => {
    const [older, newer] = [newWebhookSecret(), newWebhookSecret()];
    const headers = headersOf([newer, older], '{}');
    for (const secret of [older, newer]) expect(() => new Webhook(secret).verify('{}', headers)).not.toThrow();
    expect(() => new Webhook(newWebhookSecret()).verify('{}', headers)).toThrow('No matching signature');
  });

  it('does not match another body', () => {
    const secret = newWebhookSecret();
    expect(() => new Webhook(secret).verify('{"a":2}', headersOf([secret], '{"a":1}'))).toThrow(
      'No matching signature',
    );
  });
});

it('a secret has 32 random bytes', () => {
  const secret = newWebhookSecret();
  expect(secret).toMatch(/^whsec_/);
  expect(Buffer.from(secret.slice(6), 'base64')).toHaveLength(32);
  expect(newWebhookSecret()).not.toBe(secret);
});
