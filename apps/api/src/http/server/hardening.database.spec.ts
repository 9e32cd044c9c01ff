import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { connect, type AddressInfo } from 'node:net';
import { InProcessApi } from '../../../../../test/support/in-process-api.js';
import { aWorkspace, type Workspace } from '../../../../../test/support/factories.js';

describe('the API with settings that close it', () => {
  let api: InProcessApi;
  let pageless: InProcessApi;
  let own: Workspace;

  beforeAll(async () => {
    pageless = await InProcessApi.start({ CONSOLE: 'false' });
    // Last: Passport has one strategy in a process, and only this one receives requests with a token.
    api = await InProcessApi.start({ DOCS: 'false', MAX_CONNECTIONS: '3' });
    own = await aWorkspace(api.pool);
  });
  afterAll(() => Promise.all([api?.stop(), pageless?.stop()]));

  it('redirects / to an existing page', async () => {
    for (const [one, page] of [
      [api, 'console/'],
      [pageless, 'docs'],
    ] as const) {
      const { status, headers } = await one.as().get('/');
      expect([status, headers.location]).toEqual([302, page]);
    }
  });

  it('serves no documentation when it is disabled', async () => {
    for (const path of ['/docs', '/openapi.json', '/openapi.yaml']) {
      expect((await api.as().get(path)).status).toBe(404);
    }
  });

  it('hides internals in error responses', async () => {
    await api.pool.query('ALTER TABLE calls RENAME TO calls_gone');
    const answer = await api.as(own.token).get('/api/v1/calls');
    await api.pool.query('ALTER TABLE calls_gone RENAME TO calls');
    expect([answer.status, Object.keys(answer.body as object)]).toEqual([500, ['message']]);
    expect(answer.text).not.toMatch(/calls_gone|relation|SELECT|\.ts|\.js|at /);
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
