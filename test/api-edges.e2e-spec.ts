import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
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

describe('a token', () => {
  it.each([
    ['none', undefined],
    ['another scheme', 'Basic dXNlcjpwYXNz'],
    ['the scheme alone', 'Bearer'],
    ['an empty one', 'Bearer '],
    ['two', 'Bearer a b'],
    ['nonsense', 'Bearer nonsense'],
    ['one that nobody has', `Bearer ${unknownToken}`],
  ])('%s: 401', async (_name, header) => {
    const request = api.as().get('/api/v1/calls');
    const answer = await (header === undefined ? request : request.set('Authorization', header));
    expect([answer.status, answer.body]).toEqual([401, { message: 'Unauthenticated.' }]);
    expect(answer.headers['www-authenticate']).toBe('Bearer');
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
  });

  it('for a route that is none is 404 with a message', async () => {
    for (const path of ['/nowhere', '/api/v1/nowhere?x=<script>', '/']) {
      const { status, body } = await api.as(own.token).get(path);
      expect([status, body]).toEqual([404, { message: 'There is no such route for GET.' }]);
    }
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
