import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createLog, InternalRequests, loadEnv } from '@app/common';
import { once } from 'node:events';
import { WebSocket } from 'ws';
import { InternalServerService } from './internal-server.service.js';

const env = { ...loadEnv({ SECRET_KEY: 's'.repeat(32), INTERNAL_ADDRESS: '127.0.0.1' }), DIALER_CALLS: 1 };
const requests = new InternalRequests(env);
const log = createLog({ level: 'silent', role: 'test' });
let server: InternalServerService;
let draining = false;

const connect = (path: string, headers = requests.sign('GET', path)): WebSocket =>
  new WebSocket(`ws://${server.address}${path}`, { headers });

/** The status of the refusal, or `open`. */
const outcome = (socket: WebSocket): Promise<number | 'open'> =>
  new Promise((resolve) => {
    socket.on('open', () => resolve('open'));
    socket.on('unexpected-response', (_request, response) => resolve(response.statusCode ?? 0));
    socket.on('error', () => undefined);
  });

beforeEach(async () => {
  draining = false;
  server = new InternalServerService(requests, env, log);
  server.route({
    path: /^\/internal\/echo\/(?<name>[a-z]+)$/,
    accept: ({ params, query }) =>
      draining ? 503 : (socket) => socket.on('message', () => socket.send(`${params.name} ${query.get('format')}`)),
  });
  await server.start();
});

afterEach(() => server.close());

describe('the internal server of a dialer', () => {
  it('passes a signed upgrade to the route of its path, with parameters and query', async () => {
    const socket = connect('/internal/echo/one?format=l16');
    await once(socket, 'open');
    socket.send('hello');
    expect(String((await once(socket, 'message'))[0])).toBe('one l16');
    expect(server.connections).toBe(1);
  });

  it.each([
    ['an upgrade without a signature', '/internal/echo/one', {}, 401],
    ['the signature of another path', '/internal/echo/one', requests.sign('GET', '/internal/echo/two'), 401],
    ['an unknown path', '/internal/nothing', undefined, 404],
  ])('refuses %s', async (_title, path, headers, status) => {
    expect(await outcome(connect(path, headers))).toBe(status);
  });

  it('refuses with the status of the route', async () => {
    draining = true;
    expect(await outcome(connect('/internal/echo/one'))).toBe(503);
  });

  it('answers other requests with 404', async () => {
    expect((await fetch(`http://${server.address}/internal/echo/one`)).status).toBe(404);
  });

  it('closes a connection that sends more than 4 KB at once', async () => {
    const socket = connect('/internal/echo/one');
    await once(socket, 'open');
    socket.send('x'.repeat(5_000));
    expect((await once(socket, 'close'))[0]).toBe(1009);
  });

  it('ends its connections when it closes', async () => {
    const socket = connect('/internal/echo/one');
    await once(socket, 'open');
    const closed = once(socket, 'close');
    await server.close();
    await expect(closed).resolves.toBeDefined();
  });
});
