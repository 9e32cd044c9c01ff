import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import { Egress } from './egress.js';
import { sendSigned, sign, type SignedRequest } from './signed-request.js';

const newSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;

describe('a signature', () => {
  const timestamp = Math.floor(Date.now() / 1000);
  const headersOf = (secrets: string[], body: string) => ({
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(timestamp),
    'webhook-signature': sign(secrets, 'msg_1', timestamp, body),
  });

  it.each(['{"a":1}', '{"text":"Grüße ☎ 🎉"}', '[]', ''])('of %j is that of the reference library', (body) => {
    const secret = newSecret();
    expect(sign([secret], 'msg_1', timestamp, body)).toBe(
      new Webhook(secret).sign('msg_1', new Date(timestamp * 1000), body),
    );
    expect(() => new Webhook(secret).verify(body, headersOf([secret], body))).not.toThrow();
  });

  it('is made with both secrets during a rotation', () => {
    const [older, newer] = [newSecret(), newSecret()];
    const headers = headersOf([newer, older], '{}');
    for (const secret of [older, newer]) expect(() => new Webhook(secret).verify('{}', headers)).not.toThrow();
    expect(() => new Webhook(newSecret()).verify('{}', headers)).toThrow('No matching signature');
  });

  it('does not match another body', () => {
    const secret = newSecret();
    expect(() => new Webhook(secret).verify('{"a":2}', headersOf([secret], '{"a":1}'))).toThrow(
      'No matching signature',
    );
  });
});

describe('a signed request', () => {
  const egress = new Egress({ allowCidrs: ['127.0.0.0/8'], httpsOnly: false });
  const received: { headers: IncomingHttpHeaders; body: string }[] = [];
  let server: Server;
  let url: string;
  beforeAll(async () => {
    const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
      received.push({ headers: request.headers, body: await text(request) });
      response.writeHead(418).end('a\0b');
    };
    server = createServer((request, response) => void answer(request, response)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  });
  afterAll(async () => {
    await egress.close();
    server.close();
  });

  const secrets = [newSecret()];
  const send = (changes: Partial<SignedRequest> = {}) =>
    sendSigned(egress, {
      id: 'msg_1',
      url,
      method: 'POST',
      body: '{"a":1}',
      secrets,
      own: { 'webhook-attempt': '1' },
      totalTimeoutMs: 5_000,
      maxBodyBytes: 1_000,
      ...changes,
    });

  it('carries the headers of the service and of the owner, whose values are not among the reported ones', async () => {
    const exchange = await send({ given: { authorization: 'Bearer abc', 'user-agent': 'mine' } });
    const { headers, body } = received.at(-1)!;
    expect(new Webhook(secrets[0]!).verify(body, headers as Record<string, string>)).toEqual({ a: 1 });
    expect(headers).toMatchObject({
      authorization: 'Bearer abc',
      'user-agent': 'mine',
      'webhook-attempt': '1',
      'content-type': 'application/json',
    });
    expect(exchange.requestHeaders).toEqual({
      authorization: '[redacted]',
      'user-agent': '[redacted]',
      'content-type': 'application/json',
      'webhook-attempt': '1',
      'webhook-id': 'msg_1',
      'webhook-signature': headers['webhook-signature'],
      'webhook-timestamp': headers['webhook-timestamp'],
    });
  });

  it('without a body signs the empty text and names no type', async () => {
    await send({ body: '' });
    const { headers, body } = received.at(-1)!;
    expect(body).toBe('');
    expect(headers).not.toHaveProperty('content-type');
    expect(() => new Webhook(secrets[0]!).verify('', headers as Record<string, string>)).not.toThrow();
  });

  it('returns any response, with a text that PostgreSQL can store', async () => {
    const exchange = await send();
    expect(exchange).toMatchObject({ response: { status: 418 }, head: 'ab', latencyMs: expect.any(Number) });
  });

  it('returns the error of a target that is not allowed', async () => {
    expect(await send({ url: 'http://10.0.0.1/' })).toMatchObject({ error: { name: 'BlockedAddress' } });
  });
});
