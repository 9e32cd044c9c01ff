import { afterEach, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { closeStalledConnections } from './server-limits.js';

const STALLED_MS = 100;

let server: Server | undefined;
let client: Socket | undefined;
afterEach(() => {
  client?.destroy();
  server?.closeAllConnections();
  server?.close();
});

/** A client that has sent a request; it reads only what the test reads. */
async function connectedClient(listener: RequestListener): Promise<Socket> {
  server = createServer(listener);
  server.keepAliveTimeout = STALLED_MS;
  closeStalledConnections(server, STALLED_MS);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  client = connect(port, '127.0.0.1').on('error', () => undefined);
  client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  return client;
}

it('a client that does not read the response is disconnected', async () => {
  const hangUp = new Promise<boolean>((resolve) => {
    void connectedClient(({ socket }, response) => {
      socket.once('close', (hadError) => resolve(hadError));
      response.end(Buffer.alloc(64 * 1024 * 1024));
    });
  });
  // The server closed it: there was no socket error, and the client is still connected.
  expect(await hangUp).toBe(false);
});

it('a slow response is sent, and its connection closes after the keep-alive timeout', async () => {
  const client = await connectedClient((_request, response) => {
    void delay(STALLED_MS * 4).then(() => response.end('done'));
  });
  let got = '';
  client.on('data', (data: Buffer) => (got += data.toString()));
  await once(client, 'close');
  expect(got).toMatch(/^HTTP\/1\.1 200 OK[^]*done$/);
});
