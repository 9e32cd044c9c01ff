import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, get as getPlain, type IncomingMessage, type Server } from 'node:http';
import { request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { WebSocket, WebSocketServer } from 'ws';
import { eventually } from '../../support/eventually.js';
import { freePort } from '../../support/free-port.js';
import { suiteWith } from '../../support/suite-with.js';

suiteWith(['caddy'])('deploy/compose/Caddyfile', () => {
  const home = mkdtempSync(join(tmpdir(), 'trunkline-entrance-'));
  const authority = join(home, 'caddy/pki/authorities/local/root.crt');
  let api: Server;
  let sockets: WebSocketServer;
  let caddy: ChildProcess;
  let ports: { http: number; https: number };

  const answer = async (path: string, body?: Buffer): Promise<IncomingMessage> => {
    const options = {
      port: ports.https,
      host: '127.0.0.1',
      servername: 'localhost',
      headers: { host: `localhost:${ports.https}` },
    };
    const sent = request({ ...options, path, method: body ? 'POST' : 'GET', ca: readFileSync(authority) });
    sent.end(body);
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    return response;
  };

  beforeAll(async () => {
    api = createServer((incoming, response) => {
      if (incoming.url === '/events') {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write('data: first\n\n');
        return;
      }
      const { 'x-forwarded-for': client, 'x-forwarded-proto': scheme, host } = incoming.headers;
      incoming.resume().on('end', () => response.end(JSON.stringify({ client, scheme, host })));
    });
    sockets = new WebSocketServer({ server: api });
    sockets.on('connection', (socket, { headers }) => {
      socket.send(headers['sec-websocket-protocol'] ?? '');
      socket.on('message', (data, isBinary) => (isBinary ? socket.send(data) : socket.close(4429)));
    });
    await once(api.listen(0, '127.0.0.1'), 'listening');
    ports = { http: await freePort(), https: await freePort() };
    caddy = spawn('caddy', ['run', '--config', 'deploy/compose/Caddyfile', '--adapter', 'caddyfile'], {
      stdio: 'ignore',
      env: {
        PATH: process.env.PATH,
        HOME: home,
        XDG_DATA_HOME: home,
        XDG_CONFIG_HOME: home,
        DOMAIN: 'localhost',
        API: `127.0.0.1:${(api.address() as AddressInfo).port}`,
        ADMIN_PORT: String(await freePort()),
        HTTP_PORT: String(ports.http),
        HTTPS_PORT: String(ports.https),
      },
    });
    await eventually(
      () => existsSync(authority) && existsSync(join(home, 'caddy/certificates/local/localhost')),
      Boolean,
    );
  });
  afterAll(async () => {
    const exit = once(caddy, 'exit');
    caddy.kill('SIGTERM');
    await exit;
    sockets.close();
    api.closeAllConnections();
    api.close();
    rmSync(home, { recursive: true });
  });

  it('leads HTTPS to the api, and names the client once', async () => {
    const response = await answer('/api/v1/calls');
    expect(JSON.parse((await buffer(response)).toString())).toEqual({
      client: '127.0.0.1',
      scheme: 'https',
      host: `localhost:${ports.https}`,
    });
  });

  it('redirects HTTP', async () => {
    const [response] = (await once(getPlain({ port: ports.http, headers: { host: 'localhost' } }), 'response')) as [
      IncomingMessage,
    ];
    expect([response.statusCode, response.headers.location]).toEqual([
      308,
      expect.stringMatching(/^https:\/\/localhost/),
    ]);
    response.resume();
  });

  it('passes events on at once', async () => {
    const response = await answer('/events');
    const [first] = (await once(response, 'data')) as [Buffer];
    expect(first.toString()).toBe('data: first\n\n');
    response.destroy();
  });

  it('leaves the limit of uploads to the api', async () => {
    const response = await answer('/upload', Buffer.alloc(21_000_000));
    expect(response.statusCode).toBe(200);
    response.resume();
  });

  it('passes a WebSocket on, with its token, its frames and the code that closes it', async () => {
    const tls = { ca: readFileSync(authority), servername: 'localhost', headers: { host: `localhost:${ports.https}` } };
    const socket = new WebSocket(`wss://127.0.0.1:${ports.https}/audio`, ['trunkline.v1', 'token.abc'], tls);
    expect(String(((await once(socket, 'message')) as [Buffer])[0])).toBe('trunkline.v1,token.abc');
    const frame = Buffer.alloc(640, 7);
    socket.send(frame);
    expect(((await once(socket, 'message')) as [Buffer])[0]).toEqual(frame);
    socket.send('enough');
    expect(((await once(socket, 'close')) as [number])[0]).toBe(4429);
  });
});
