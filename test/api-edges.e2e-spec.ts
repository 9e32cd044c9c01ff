import { newToken } from '@app/auth';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { connect, type AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { TestApi } from './support/app.js';
import { aToken, aWorkspace, type Workspace } from './support/factories.js';

let api: TestApi;
let own: Workspace;

beforeAll(async () => {
  api = await TestApi.start();
  own = await aWorkspace(api.pool);
});
afterAll(() => api.stop());

const unknownToken = 'tk_0000000000000000000000000000000000000000000000000';

const OTHER_SCHEME = 'The Authorization header does not use the Bearer scheme with a token.';
const WRONG_TOKEN = 'The token is unknown, expired or revoked.';
const HOW_TO_SEND = 'Send the header "Authorization: Bearer <token>" with a token of your account.';

describe('a token', () => {
  it.each([
    ['none', undefined, 'The request has no Authorization header.'],
    ['another scheme', 'Basic dXNlcjpwYXNz', OTHER_SCHEME],
    ['the token alone', unknownToken, OTHER_SCHEME],
    ['the scheme alone', 'Bearer', OTHER_SCHEME],
    ['an empty one', 'Bearer ', OTHER_SCHEME],
    ['two', 'Bearer a b', WRONG_TOKEN],
    ['nonsense', 'Bearer nonsense', WRONG_TOKEN],
    ['one that no account has', `Bearer ${unknownToken}`, WRONG_TOKEN],
  ])('%s: 401 says what is missing and how to send a token', async (_name, header, problem) => {
    const request = api.as().get('/api/v1/calls');
    const answer = await (header === undefined ? request : request.set('Authorization', header));
    expect([answer.status, answer.body]).toEqual([401, { message: `Unauthenticated. ${problem} ${HOW_TO_SEND}` }]);
    expect(answer.headers['www-authenticate']).toBe('Bearer');
  });

  it('that expired or was revoked is not told apart from an unknown one', async () => {
    const messages = [];
    for (const column of ['expires_at', 'revoked_at']) {
      const ended = await aToken(api.pool, own.accountId);
      await api.pool.query(`UPDATE api_tokens SET ${column} = now() WHERE token_hash = sha256($1::bytea)`, [ended]);
      messages.push((await api.as(ended).get('/api/v1/calls')).body.message);
    }
    expect(messages).toEqual(Array(2).fill(`Unauthenticated. ${WRONG_TOKEN} ${HOW_TO_SEND}`));
  });

  it('in the query or in the body does not count', async () => {
    expect((await api.as().get(`/api/v1/calls?access_token=${own.token}`)).status).toBe(401);
    expect((await api.as().post('/api/v1/calls').send({ access_token: own.token })).status).toBe(401);
  });

  it('that expired or was revoked: 401', async () => {
    const [expired, revoked] = await Promise.all([aToken(api.pool, own.accountId), aToken(api.pool, own.accountId)]);
    await api.pool.query(
      `UPDATE api_tokens SET expires_at = CASE WHEN id = (SELECT max(id) FROM api_tokens) THEN now() - interval '1 s' END,
         revoked_at = CASE WHEN id = (SELECT max(id) FROM api_tokens) THEN NULL ELSE now() END
       WHERE id > (SELECT max(id) - 2 FROM api_tokens)`,
    );
    for (const token of [expired, revoked]) expect((await api.as(token).get('/api/v1/calls')).status).toBe(401);
  });
});

describe('a body', () => {
  const post = () => api.as(own.token).post('/api/v1/calls');

  it.each([
    ['half of JSON', '{"a":', 400],
    ['a list', '[]', 400],
    ['a text', '"x"', 400],
    ['null', 'null', 400],
    ['a number', '5', 400],
    ['nothing', '', 422],
    ['an empty object', '{}', 422],
    ['a null character', '{"metadata":{"a":"\\u0000"}}', 400],
    ['half a surrogate pair', '{"metadata":{"a":"\\ud800"}}', 400],
    ['an emoji', '{"metadata":{"a":"\\ud83d\\ude00"}}', 422],
    ['an escaped backslash before u0000', '{"metadata":{"a":"\\\\u0000"}}', 422],
    ['a prototype', '{"__proto__":{"agent_id":1},"constructor":{"prototype":{}}}', 422],
  ])('%s: %#', async (_name, text, status) => {
    const answer = await post().set('Content-Type', 'application/json').send(text);
    expect(answer.status).toBe(status);
    expect(answer.body.message).toEqual(expect.any(String));
    expect(JSON.stringify(answer.body)).not.toMatch(/node_modules|SyntaxError|at position/);
  });

  it.each([
    ['text/plain', 'x', 415],
    ['application/x-www-form-urlencoded', 'agent_id=1', 415],
    ['application/json; charset=latin1', '{}', 415],
    ['application/json', JSON.stringify({ metadata: { x: 'y'.repeat(262_144) } }), 413],
  ])('of type %s: %s', async (type, text, status) => {
    const answer = await post().set('Content-Type', type).send(text);
    expect([answer.status, Object.keys(answer.body)]).toEqual([status, ['message']]);
  });

  it.each(['[{}]', '"x"', 'null', '5', 'true'])('%s is JSON, but no object', async (text) => {
    const { body } = await post().set('Content-Type', 'application/json').send(text);
    expect(body).toEqual({ message: 'The request body must be a JSON object.' });
  });

  it.each<[string, Record<string, string>, string | object]>([
    ['half of JSON', { 'Content-Type': 'application/json' }, '{"a":'],
    ['a form', { 'Content-Type': 'application/x-www-form-urlencoded' }, 'agent_id=1'],
    ['what is too large', { 'Content-Type': 'application/json' }, { x: 'y'.repeat(262_144) }],
    ['what is no gzip', { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' }, '{}'],
  ])('that is %s does not hide that the token is missing', async (_name, headers, body) => {
    const answer = await api.as().post('/api/v1/calls').set(headers).send(body);
    expect([answer.status, answer.body.message]).toEqual([401, expect.stringMatching(/^Unauthenticated\. /)]);
    const nowhere = await api.as().post('/api/v1/nowhere').set(headers).send(body);
    expect(nowhere.status).toBe(404);
  });

  it('of no length needs no type', async () => {
    const { status } = await api.as(own.token).post('/api/v1/calls/1/cancel').set('Content-Length', '0');
    expect(status).toBe(404);
    expect((await post().set('Content-Length', '0')).status).toBe(422);
  });

  it('that cannot be read counts as a request of its token', async () => {
    const answer = await post().set('Content-Type', 'application/json').send('{"a":');
    expect([answer.status, Number(answer.headers['x-ratelimit-limit'])]).toEqual([400, 60_000]);
  });

  it.each(['gzip', 'deflate', 'br'])(
    'that is no %s although it says so: 400 without words of zlib',
    async (encoding) => {
      const answer = await post()
        .set({ 'Content-Type': 'application/json', 'Content-Encoding': encoding })
        .send('{"a":1}');
      expect([answer.status, answer.body]).toEqual([
        400,
        { message: 'The request body is not what its Content-Encoding says.' },
      ]);
    },
  );

  it.each([
    ['large', 'Content-Length: 2000000', ''],
    ['large, with a token that is none', `Content-Length: 2000000\r\nAuthorization: Bearer ${newToken()}`, ''],
    ['without an end', 'Transfer-Encoding: chunked', '1\r\n{\r\n'],
    ['packed', 'Content-Encoding: gzip\r\nContent-Length: 10000', ''],
  ])('of a stranger that is %s is not waited for', async (_, headers, begin) => {
    const { port } = api.server.address() as AddressInfo;
    const socket = connect(port, '127.0.0.1').on('error', () => undefined);
    const head = [
      'POST /api/v1/agents/1/knowledge-bases HTTP/1.1',
      'Host: x',
      'Content-Type: application/json',
      headers,
    ];
    socket.write([...head, '', begin].join('\r\n'));
    const [answer] = (await once(socket, 'data')) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 401 /);
    // And no more of it is read.
    await once(socket.resume(), 'close');
  });

  it('in gzip counts as large as it is', async () => {
    const bomb = gzipSync(JSON.stringify({ metadata: { x: 'y'.repeat(5_000_000) } }));
    const answer = await post()
      .set('Content-Type', 'application/json')
      .set('Content-Encoding', 'gzip')
      .serialize((body) => body as string)
      .send(bomb);
    expect(answer.status).toBe(413);
  });
});

describe('every answer', () => {
  const anywhere: [string, string][] = [
    ['get', '/api/v1/calls'],
    ['get', '/nowhere'],
    ['get', '/api/v1/nowhere'],
    ['put', '/api/v1/calls'],
    ['get', '/health/live'],
    ['get', '/openapi.json'],
    ['get', '/%zz'],
  ];

  it.each(anywhere)('%s %s has an X-Request-Id and safe headers', async (method, path) => {
    const answer = await (
      api.as() as unknown as Record<string, (path: string) => Promise<import('supertest').Response>>
    )[method]!(path);
    expect(answer.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
    expect(answer.headers['x-content-type-options']).toBe('nosniff');
    expect(answer.headers['x-powered-by']).toBeUndefined();
    expect(answer.headers['access-control-allow-origin']).toBeUndefined();
    expect(answer.headers['cache-control']).toBe(path.startsWith('/api/') ? 'no-store' : undefined);
  });

  it('for a route that is none is 404 with a message', async () => {
    const docs = 'The routes of this service are listed at /docs.';
    for (const [path, shown] of [
      ['/nowhere', '/nowhere'],
      ['/api/v1/nowhere?secret=<script>', '/api/v1/nowhere'],
      ['/api/', '/api/'],
      ['/api/v1/cals/%22%0a%zz', '/api/v1/cals/%22%0a%zz'],
      [`/${'x'.repeat(5_000)}`, `/${'x'.repeat(199)}…`],
    ] as const) {
      const { status, body } = await api.as(own.token).get(path);
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
  ] as const)('to %s %s is 405 with the methods that there are', async (method, path, allowed) => {
    const { status, headers, body } = await api.as(own.token)[method](path);
    const message = `The ${method.toUpperCase()} method is not supported for this route. Supported methods: ${allowed}.`;
    expect([status, headers['allow'], body]).toEqual([405, allowed, method === 'head' ? {} : { message }]);
    const options = await api.as().options(path);
    expect([options.status, options.headers['allow'], options.text]).toEqual([204, allowed, '']);
  });

  it('to OPTIONS of a route that is none is 404', async () => {
    expect((await api.as().options('/api/v1/nowhere')).status).toBe(404);
    expect((await api.as().put('/api/v1/calls/%zz')).status).toBe(404);
  });

  it.each([
    ['order-4711.retry_2', true],
    ['short', false],
    ['with space', false],
    ['x'.repeat(129), false],
  ])('takes over the X-Request-Id %s: %s', async (id, taken) => {
    const { headers } = await api.as().get('/health/live').set('X-Request-Id', id);
    expect(headers['x-request-id'] === id).toBe(taken);
  });
});

describe('health', () => {
  it('is alive and ready', async () => {
    expect((await api.as().get('/health/live')).body).toEqual({ status: 'ok' });
    const ready = await api.as().get('/health/ready');
    expect([ready.status, ready.body]).toEqual([200, { status: 'ok' }]);
  });
});
