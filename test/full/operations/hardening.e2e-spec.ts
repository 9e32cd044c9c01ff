import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { connect, type AddressInfo } from 'node:net';
import { InProcessApi } from '../../support/in-process-api.js';
import { aWorkspace, type Workspace } from '../../support/factories.js';

const ORIGIN = 'https://app.example.com';

describe('the API for browsers', () => {
  let closed: InProcessApi;
  let pageless: InProcessApi;
  let open: InProcessApi;
  let own: Workspace;

  beforeAll(async () => {
    [closed, pageless, open] = await Promise.all([
      InProcessApi.start({ DOCS: 'false' }),
      InProcessApi.start({ CONSOLE: 'false' }),
      InProcessApi.start({ CORS_ORIGINS: `${ORIGIN},https://admin.example.com` }),
    ]);
    own = await aWorkspace(open.pool);
  });
  afterAll(() => Promise.all([closed.stop(), pageless.stop(), open.stop()]));

  it('sends no CORS headers to origins that are not configured', async () => {
    for (const [api, origin] of [
      [closed, ORIGIN],
      [open, 'https://evil.example.com'],
      [open, `${ORIGIN}.evil.example.com`],
      [open, 'null'],
    ] as const) {
      const asked = await api
        .as()
        .options('/api/v1/calls')
        .set({ Origin: origin, 'Access-Control-Request-Method': 'GET' });
      expect(asked.status).toBe(204);
      expect(Object.keys(asked.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
    }
  });

  it('allows configured origins to send requests and read responses, without cookies', async () => {
    const preflight = await open.as().options('/api/v1/calls').set({
      Origin: ORIGIN,
      'Access-Control-Request-Method': 'POST',
      'Access-Control-Request-Headers': 'authorization',
    });
    expect([preflight.status, preflight.headers['access-control-allow-origin']]).toEqual([204, ORIGIN]);
    expect(preflight.headers['access-control-allow-headers']).toMatch(/Authorization/);
    expect(preflight.headers['access-control-allow-credentials']).toBeUndefined();
    for (const path of ['/api/v1/calls', '/api/v1/nowhere']) {
      const answer = await open.as(own.token).get(path).set('Origin', ORIGIN);
      expect(answer.headers['access-control-allow-origin']).toBe(ORIGIN);
      expect(answer.headers['access-control-expose-headers']).toMatch(/X-RateLimit-Remaining/);
      expect(answer.headers.vary).toMatch(/Origin/);
    }
  });

  it.each(['/docs', '/docs/swagger-ui.css', '/openapi.json', '/nowhere', '/health/live', '/%zz'])(
    'sends the headers of Helmet for %s',
    async (path) => {
      const { headers } = await open.as().get(path);
      expect(headers).toMatchObject({
        'content-security-policy': expect.stringContaining("default-src 'self'"),
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'SAMEORIGIN',
        'referrer-policy': 'no-referrer',
      });
    },
  );

  it.each(['/api/v1/calls', '/API/V1/Calls', '/api/v1/nowhere', '/api/v1/calls?%zz'])(
    'forbids browsers to render, frame or store %s',
    async (path) => {
      const { headers } = await open.as(own.token).get(path);
      expect(headers).toMatchObject({
        'content-security-policy': "default-src 'none';frame-ancestors 'none'",
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
        'referrer-policy': 'no-referrer',
        'cache-control': 'no-store',
      });
    },
  );

  it('redirects / to an existing page', async () => {
    for (const [api, page] of [
      [open, 'console/'],
      [closed, 'console/'],
      [pageless, 'docs'],
    ] as const) {
      const { status, headers } = await api.as().get('/');
      expect([status, headers.location]).toEqual([302, page]);
    }
  });

  it('serves no documentation when it is disabled', async () => {
    for (const path of ['/docs', '/openapi.json', '/openapi.yaml']) {
      expect((await closed.as().get(path)).status).toBe(404);
    }
  });
});

describe('the API', () => {
  let api: InProcessApi;
  let own: Workspace;

  beforeAll(async () => {
    api = await InProcessApi.start({ MAX_CONNECTIONS: '3' });
    own = await aWorkspace(api.pool);
  });
  afterAll(() => api.stop());

  it('hides internals in error responses', async () => {
    await api.pool.query('ALTER TABLE calls RENAME TO calls_gone');
    const answer = await api.as(own.token).get('/api/v1/calls');
    await api.pool.query('ALTER TABLE calls_gone RENAME TO calls');
    expect([answer.status, Object.keys(answer.body as object)]).toEqual([500, ['message']]);
    expect(answer.text).not.toMatch(/calls_gone|relation|SELECT|\.ts|\.js|at /);
  });

  it('ignores ids and timestamps in request bodies', async () => {
    const stranger = await aWorkspace(api.pool);
    const mine = { account_id: stranger.accountId, id: 4_711, created_at: '2001-01-01', agent_id: stranger.agentId };
    const made = await api
      .as(own.token)
      .post(`/api/v1/agents/${own.agentId}/tools`)
      .send({ ...mine, name: 'ask', description: 'Asks.' });
    expect(made.body.data).toMatchObject({ agent_id: own.agentId, name: 'ask' });
    expect(made.body.data.id).not.toBe(4_711);
    expect(made.body.data.created_at).not.toMatch(/^2001/);
    const { rows } = await api.pool.query<{ account_id: number }>('SELECT account_id FROM tools');
    expect(rows).toEqual([{ account_id: own.accountId }]);
  });

  it('waits 10 s for request headers and 5 minutes for the whole request', () => {
    expect(api.server).toMatchObject({ headersTimeout: 10_000, requestTimeout: 300_000, maxHeadersCount: 100 });
  });

  it('limits the number of connections', async () => {
    const { port } = api.server.address() as AddressInfo;
    const sockets = Array.from({ length: 5 }, () => connect(port, '127.0.0.1').on('error', () => undefined));
    try {
      const closed = sockets.map((socket) => once(socket, 'close'));
      await Promise.race(closed);
      await Promise.race(closed.filter((_, index) => !sockets[index]!.destroyed));
      expect(sockets.filter(({ destroyed }) => !destroyed).length).toBeLessThanOrEqual(3);
    } finally {
      for (const socket of sockets) socket.destroy();
    }
  });
});
