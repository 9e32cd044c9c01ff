import { afterEach, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { cutStalled } from './server-limits.js';

const STALLED_MS = 100;

let server: Server | undefined;
let client: Socket | undefined;
afterEach(() => {
  client?.destroy();
  server?.closeAllConnections();
  server?.close();
});

/** A client that has asked for something, and reads as far as the test does. */
async function asked(listener: RequestListener): Promise<Socket> {
  server = createServer(listener);
  server.keepAliveTimeout = STALLED_MS;
  cutStalled(server, STALLED_MS);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  client = connect(port, '127.0.0.1').on('error', () => undefined);
  client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  return client;
}

it('who does not read an answer is cut off', async () => {
  const hangUp = new Promise<boolean>((resolve) => {
    void asked(({ socket }, response) => {
      socket.once('close', (hadError) => resolve(hadError));
      response.end(Buffer.alloc(64 * 1024 * 1024));
    });
  });
  // By us: nobody reported an error, and the client is still there.
  expect(await hangUp).toBe(false);
});

it('an answer may take longer than that, and its connection ends when the keep-alive does', async () => {
  const client = await asked((_request, response) => {
    void delay(STALLED_MS * 4).then(() => response.end('done'));
  });
  let got = '';
  client.on('data', (data: Buffer) => (got += data.toString()));
  await once(client, 'close');
  expect(got).toMatch(/^HTTP\/1\.1 200 OK[^]*done$/);
});
