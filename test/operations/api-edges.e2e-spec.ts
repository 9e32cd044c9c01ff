import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { aToken, type Workspace } from '../support/factories.js';
import { Service } from '../support/service.js';

const service = Service.get();
let own: Workspace;

beforeAll(async () => {
  own = await service.account();
});
afterAll(() => service.close());

const unknownToken = 'tk_0000000000000000000000000000000000000000000000000';

const OTHER_SCHEME = 'The Authorization header does not use the Bearer scheme with a token.';
const WRONG_TOKEN = 'The token is unknown, expired or revoked.';
const HOW_TO_SEND = 'Send the header "Authorization: Bearer <token>" with a token of your account.';

describe('a bearer token', () => {
  it.each([
    ['missing', undefined, 'The request has no Authorization header.'],
    ['with another scheme', 'Basic dXNlcjpwYXNz', OTHER_SCHEME],
    ['without a scheme', unknownToken, OTHER_SCHEME],
    ['without a token', 'Bearer', OTHER_SCHEME],
    ['that is empty', 'Bearer ', OTHER_SCHEME],
    ['given twice', 'Bearer a b', WRONG_TOKEN],
    ['of an invalid format', 'Bearer nonsense', WRONG_TOKEN],
    ['of no account', `Bearer ${unknownToken}`, WRONG_TOKEN],
  ])('%s returns 401 with the problem and the expected header', async (_name, header, problem) => {
    const request = service.as().get('/api/v1/calls');
    const answer = await (header === undefined ? request : request.set('Authorization', header));
    expect([answer.status, answer.body]).toEqual([401, { message: `Unauthenticated. ${problem} ${HOW_TO_SEND}` }]);
    expect(answer.headers['www-authenticate']).toBe('Bearer');
  });

  it('that has expired or was revoked gets the same message as an unknown token', async () => {
    const messages = [];
    for (const column of ['expires_at', 'revoked_at']) {
      const ended = await aToken(service.pool, own.accountId);
      await service.pool.query(`UPDATE api_tokens SET ${column} = now() WHERE token_hash = sha256($1::bytea)`, [ended]);
      messages.push((await service.as(ended).get('/api/v1/calls')).body.message);
    }
    expect(messages).toEqual(Array(2).fill(`Unauthenticated. ${WRONG_TOKEN} ${HOW_TO_SEND}`));
  });

  it('in the query or the body is ignored', async () => {
    expect((await service.as().get(`/api/v1/calls?access_token=${own.token}`)).status).toBe(401);
    expect((await service.as().post('/api/v1/calls').send({ access_token: own.token })).status).toBe(401);
  });
});

describe('a request body', () => {
  const post = () => service.as(own.token).post('/api/v1/calls');

  it('with a number whose digits would be lost is refused with its path, and as text it is not', async () => {
    const send = (id: string) =>
      post().set('Content-Type', 'application/json').send(`{"metadata":{"order":{"id":${id}}},"list":[1]}`);
    const message = 'The number has more digits than a number in JSON keeps. Send it as text.';
    const refused = await send('8389765929445198309');
    expect([refused.status, refused.body.errors]).toEqual([422, { 'metadata.order.id': [message] }]);
    for (const id of ['"8389765929445198309"', '9007199254740991', '1.5', '1e20'])
      expect((await send(id)).body.errors).not.toHaveProperty('metadata.order.id');
  });

  it.each([
    ['truncated JSON', '{"a":', 400],
    ['an array', '[]', 400],
    ['a string', '"x"', 400],
    ['null', 'null', 400],
    ['a number', '5', 400],
    ['empty', '', 422],
    ['an empty object', '{}', 422],
    ['a null character', '{"metadata":{"a":"\\u0000"}}', 400],
    ['a lone surrogate', '{"metadata":{"a":"\\ud800"}}', 400],
    ['an emoji', '{"metadata":{"a":"\\ud83d\\ude00"}}', 422],
    ['an escaped backslash before u0000', '{"metadata":{"a":"\\\\u0000"}}', 422],
    ['prototype fields', '{"__proto__":{"agent_id":1},"constructor":{"prototype":{}}}', 422],
  ])('of the kind "%s" gets an error message without internals (case %#)', async (_name, text, status) => {
    const answer = await post().set('Content-Type', 'application/json').send(text);
    expect(answer.status).toBe(status);
    expect(answer.body.message).toEqual(expect.any(String));
    expect(JSON.stringify(answer.body)).not.toMatch(/node_modules|SyntaxError|at position/);
  });

  it.each([
    ['text/plain', 'x', 415],
    ['application/x-www-form-urlencoded', 'agent_id=1', 415],
    ['application/json; charset=latin1', '{}', 415],
    ['application/json; charset=utf-16', '{}', 415],
    ['application/json', JSON.stringify({ metadata: { x: 'y'.repeat(262_144) } }), 413],
  ])('of the type %s is rejected: %s', async (type, text, status) => {
    const answer = await post().set('Content-Type', type).send(text);
    expect([answer.status, Object.keys(answer.body)]).toEqual([status, ['message']]);
  });

  it.each(['[{}]', '"x"', 'null', '5', 'true'])(
    'of the JSON value %s is rejected because it is not an object',
    async (text) => {
      const { body } = await post().set('Content-Type', 'application/json').send(text);
      expect(body).toEqual({ message: 'The request body must be a JSON object.' });
    },
  );

  it.each<[string, Record<string, string>, string | object]>([
    ['truncated JSON', { 'Content-Type': 'application/json' }, '{"a":'],
    ['a form', { 'Content-Type': 'application/x-www-form-urlencoded' }, 'agent_id=1'],
    ['too large', { 'Content-Type': 'application/json' }, { x: 'y'.repeat(262_144) }],
    ['not valid gzip', { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' }, '{}'],
  ])('that is %s is not read before authentication: a missing token returns 401', async (_name, headers, body) => {
    const answer = await service.as().post('/api/v1/calls').set(headers).send(body);
    expect([answer.status, answer.body.message]).toEqual([401, expect.stringMatching(/^Unauthenticated\. /)]);
    const nowhere = await service.as().post('/api/v1/nowhere').set(headers).send(body);
    expect(nowhere.status).toBe(404);
  });

  it('that is not UTF-8 is refused, instead of being stored with replaced characters', async () => {
    const answer = await post()
      .set('Content-Type', 'application/json')
      .serialize((body) => body as string)
      .send(Buffer.from('{"metadata":{"city":"Köln"}}', 'latin1'));
    expect([answer.status, answer.body]).toEqual([400, { message: 'The request body is not valid UTF-8.' }]);
  });

  it.each([
    ['with the charset in quotes', 'application/json; charset="UTF-8"', '{"agent_id":0}'],
    ['with another parameter', 'application/json; version=2', '{"agent_id":0}'],
    ['after a byte order mark', 'application/json', '\ufeff{"agent_id":0}'],
    ['without a space before the charset', 'application/json;charset=utf-8', '{"agent_id":0}'],
  ])('of UTF-8 JSON %s is read', async (_name, type, text) => {
    const answer = await post().set('Content-Type', type).send(text);
    expect([answer.status, answer.body.errors.agent_id]).toEqual([422, ['No agent 0 in this account.']]);
  });

  it('of no bytes in chunks is an empty object', async () => {
    const socket = connect(Number(new URL(service.baseUrl).port), '127.0.0.1');
    const head = `POST /api/v1/calls HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${own.token}\r\n`;
    socket.end(
      `${head}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n0\r\n\r\n`,
    );
    let answer = '';
    for await (const part of socket.setEncoding('utf8')) answer += String(part);
    expect(answer).toMatch(/^HTTP\/1\.1 422 /);
  });

  it('of length 0 needs no Content-Type', async () => {
    const { status } = await service.as(own.token).post('/api/v1/calls/1/cancel').set('Content-Length', '0');
    expect(status).toBe(404);
    expect((await post().set('Content-Length', '0')).status).toBe(422);
  });

  it('that is unreadable counts towards the rate limit of its token', async () => {
    const answer = await post().set('Content-Type', 'application/json').send('{"a":');
    expect([answer.status, Number(answer.headers['x-ratelimit-limit'])]).toEqual([400, 1_000_000]);
  });

  it.each(['gzip', 'deflate', 'br'])(
    'whose Content-Encoding is falsely %s returns 400 without zlib messages',
    async (encoding) => {
      const answer = await post()
        .set({ 'Content-Type': 'application/json', 'Content-Encoding': encoding })
        .send('{"a":1}');
      expect([answer.status, answer.body]).toEqual([
        400,
        { message: 'The request body does not match its Content-Encoding.' },
      ]);
    },
  );

  it.each([
    ['large', 'Content-Length: 2000000', ''],
    ['large, with an unknown token', `Content-Length: 2000000\r\nAuthorization: Bearer ${unknownToken}`, ''],
    ['without an end', 'Transfer-Encoding: chunked', '1\r\n{\r\n'],
    ['compressed', 'Content-Encoding: gzip\r\nContent-Length: 10000', ''],
  ])('of an unauthenticated client that is %s is not read', async (_, headers, begin) => {
    const { port } = new URL(service.baseUrl);
    const socket = connect(Number(port), '127.0.0.1').on('error', () => undefined);
    const head = [
      'POST /api/v1/agents/1/knowledge-bases HTTP/1.1',
      'Host: x',
      'Content-Type: application/json',
      headers,
    ];
    socket.write([...head, '', begin].join('\r\n'));
    const [answer] = (await once(socket, 'data')) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 401 /);
    // The rest of the body is not read.
    await once(socket.resume(), 'close');
  });

  it('in gzip is limited by its decompressed size', async () => {
    const bomb = gzipSync(JSON.stringify({ metadata: { x: 'y'.repeat(5_000_000) } }));
    const answer = await post()
      .set('Content-Type', 'application/json')
      .set('Content-Encoding', 'gzip')
      .serialize((body) => body as string)
      .send(bomb);
    expect(answer.status).toBe(413);
  });
});

describe('every response', () => {
  const anywhere: [string, string][] = [
    ['get', '/api/v1/calls'],
    ['get', '/nowhere'],
    ['get', '/api/v1/nowhere'],
    ['put', '/api/v1/calls'],
    ['get', '/health/live'],
    ['get', '/openapi.json'],
    ['get', '/%zz'],
  ];

  it.each(anywhere)('to %s %s has an X-Request-Id and safe headers', async (method, path) => {
    const answer = await (
      service.as() as unknown as Record<string, (path: string) => Promise<import('supertest').Response>>
    )[method]!(path);
    expect(answer.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
    expect(answer.headers['x-content-type-options']).toBe('nosniff');
    expect(answer.headers['x-powered-by']).toBeUndefined();
    expect(answer.headers['access-control-allow-origin']).toBeUndefined();
    expect(answer.headers['cache-control']).toBe(path.startsWith('/api/') ? 'no-store' : undefined);
  });

  it.each(['/docs', '/docs/swagger-ui.css', '/openapi.json', '/nowhere', '/health/live', '/%zz'])(
    'to %s says what a page of it may do',
    async (path) => {
      const { headers } = await service.as().get(path);
      expect(headers).toMatchObject({
        'content-security-policy': expect.stringContaining("default-src 'self'"),
        'x-frame-options': 'SAMEORIGIN',
        'referrer-policy': 'no-referrer',
      });
    },
  );

  it.each(['/api/v1/calls', '/API/V1/Calls', '/api/v1/nowhere', '/api/v1/calls?%zz'])(
    'to %s forbids browsers to render, frame or store it',
    async (path) => {
      const { headers } = await service.as(own.token).get(path);
      expect(headers).toMatchObject({
        'content-security-policy': "default-src 'none';frame-ancestors 'none'",
        'x-frame-options': 'DENY',
        'referrer-policy': 'no-referrer',
        'cache-control': 'no-store',
      });
    },
  );

  it.each(['/openapi.json', '/docs', '/console/console.js'])('with the page %s is compressed', async (path) => {
    const compressed = await service.as().get(path).set('Accept-Encoding', 'gzip').expect(200);
    expect(compressed.headers['content-encoding']).toBe('gzip');
    const plain = await service.as().get(path).set('Accept-Encoding', 'identity').expect(200);
    expect(plain.headers['content-encoding']).toBeUndefined();
    expect(compressed.text).toBe(plain.text);
  });

  it('to an unknown route is 404 with a message', async () => {
    const docs = 'The routes of this service are listed at /docs.';
    for (const [path, shown] of [
      ['/nowhere', '/nowhere'],
      ['/api/v1/nowhere?secret=<script>', '/api/v1/nowhere'],
      ['/api/', '/api/'],
      ['/api/v1/cals/%22%0a%zz', '/api/v1/cals/%22%0a%zz'],
      [`/${'x'.repeat(5_000)}`, `/${'x'.repeat(199)}…`],
    ] as const) {
      const { status, body } = await service.as(own.token).get(path);
      expect([status, body]).toEqual([404, { message: `There is no route GET ${shown}. ${docs}` }]);
    }
  });

  it.each([
    ['put', '/api/v1/calls', 'GET, HEAD, POST'],
    ['delete', '/api/v1/calls/', 'GET, HEAD, POST'],
    ['patch', '/api/v1/calls/1', 'DELETE, GET, HEAD'],
    ['get', '/api/v1/calls/1/cancel', 'POST'],
    ['head', '/api/v1/calls/1/cancel', 'POST'],
    ['post', '/api/v1/agents/1/tools/1', 'DELETE, GET, HEAD, PATCH, PUT'],
    ['get', '/api/v1/webhooks/test', 'POST'],
    ['post', '/health/live', 'GET, HEAD'],
  ] as const)('to %s %s is 405 with the supported methods', async (method, path, allowed) => {
    const { status, headers, body } = await service.as(own.token)[method](path);
    const message = `The ${method.toUpperCase()} method is not supported for this route. Supported methods: ${allowed}.`;
    expect([status, headers['allow'], body]).toEqual([405, allowed, method === 'head' ? {} : { message }]);
    const options = await service.as().options(path);
    expect([options.status, options.headers['allow'], options.text]).toEqual([204, allowed, '']);
  });

  it('to OPTIONS of an unknown route is 404', async () => {
    expect((await service.as().options('/api/v1/nowhere')).status).toBe(404);
    expect((await service.as().put('/api/v1/calls/%zz')).status).toBe(404);
  });

  it.each([
    ['order-4711.retry_2', true],
    ['short', false],
    ['with space', false],
    ['x'.repeat(129), false],
  ])('repeats the given X-Request-Id %s: %s', async (id, taken) => {
    const { headers } = await service.as().get('/health/live').set('X-Request-Id', id);
    expect(headers['x-request-id'] === id).toBe(taken);
  });
});

describe('the health endpoints', () => {
  it('report a live and ready process', async () => {
    expect((await service.as().get('/health/live')).body).toEqual({ status: 'ok' });
    const ready = await service.as().get('/health/ready');
    expect([ready.status, ready.body]).toEqual([200, { status: 'ok' }]);
  });
});
