import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { createServer, get as getPlain, type IncomingMessage, type Server } from 'node:http';
import { request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { WebSocket, WebSocketServer } from 'ws';
import { type Nginx, startNginx } from '../../support/nginx.js';
import { suiteWith } from '../../support/suite-with.js';

suiteWith(['nginx', 'openssl'])('deploy/nginx/trunkline.conf', () => {
  let api: Server;
  let sockets: WebSocketServer;
  let nginx: Nginx;

  const tls = () => ({ ca: nginx.ca, servername: 'localhost' });
  const answer = async (path: string, body?: Buffer): Promise<IncomingMessage> => {
    const headers = { host: `localhost:${nginx.ports.https}`, 'x-forwarded-for': '198.51.100.7' };
    const options = { port: nginx.ports.https, host: '127.0.0.1', path, headers, ...tls() };
    const sent = request({ ...options, method: body ? 'POST' : 'GET' });
    sent.end(body);
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    return response;
  };
  const connect = (protocols: string[]): WebSocket =>
    new WebSocket(`wss://127.0.0.1:${nginx.ports.https}/api/v1/web-calls/1/audio`, protocols, tls());

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
    sockets = new WebSocketServer({
      server: api,
      handleProtocols: (names) => names.has('trunkline.v1') && 'trunkline.v1',
    });
    sockets.on('connection', (socket, { headers }) => {
      socket.send(JSON.stringify({ protocols: headers['sec-websocket-protocol'], client: headers['x-forwarded-for'] }));
      socket.on('message', (data, isBinary) =>
        isBinary ? socket.send(data) : socket.close(4429, 'The limit of the account is reached.'),
      );
    });
    await once(api.listen(0, '127.0.0.1'), 'listening');
    nginx = await startNginx((api.address() as AddressInfo).port);
  });
  afterAll(async () => {
    await nginx.stop();
    sockets.close();
    api.closeAllConnections();
    api.close();
  });

  it('leads HTTPS to the api, and names the client, whatever it says of itself', async () => {
    const response = await answer('/api/v1/calls');
    expect(JSON.parse((await buffer(response)).toString())).toEqual({
      client: '127.0.0.1',
      scheme: 'https',
      host: `localhost:${nginx.ports.https}`,
    });
  });

  it('redirects HTTP', async () => {
    const [response] = (await once(
      getPlain({ port: nginx.ports.http, headers: { host: 'localhost' } }),
      'response',
    )) as [IncomingMessage];
    expect([response.statusCode, response.headers.location]).toEqual([308, 'https://localhost/']);
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
    const socket = connect(['trunkline.v1', 'token.abc']);
    const [hello] = (await once(socket, 'message')) as [Buffer];
    expect(JSON.parse(hello.toString())).toEqual({ protocols: 'trunkline.v1,token.abc', client: '127.0.0.1' });
    expect(socket.protocol).toBe('trunkline.v1');
    const frame = Buffer.alloc(640, 7);
    socket.send(frame);
    expect(((await once(socket, 'message')) as [Buffer])[0]).toEqual(frame);
    socket.send('enough');
    const [code, reason] = (await once(socket, 'close')) as [number, Buffer];
    expect([code, reason.toString()]).toEqual([4429, 'The limit of the account is reached.']);
  });
});
