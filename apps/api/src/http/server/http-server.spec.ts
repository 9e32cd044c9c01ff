import { afterEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { closeStalledConnections, type ConnectionLimit, handleClientErrors, limitConnections } from './http-server.js';

describe('handleClientErrors', () => {
  let server: Server | undefined;
  afterEach(() => {
    server?.closeAllConnections();
    server?.close();
  });

  /** Everything that the server sends until it closes the connection. */
  async function responseTo(packets: string[], listener: RequestListener): Promise<string> {
    server = createServer({ headersTimeout: 50, requestTimeout: 100, connectionsCheckingInterval: 20 }, listener);
    handleClientErrors(server);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => undefined);
    let got = '';
    client.on('data', (data: Buffer) => {
      got += data.toString();
      client.write(packets.shift() ?? '');
    });
    client.write(packets.shift() ?? '');
    await once(client, 'close');
    return got;
  }

  describe('HTTP parser errors are returned as JSON', () => {
    it.each([
      [431, `GET / HTTP/1.1\r\nHost: x\r\nx-a: ${'a'.repeat(20_000)}\r\n\r\n`, 'larger than 16 KB'],
      [400, 'not http at all\r\n\r\n', 'not valid HTTP/1.1'],
      [400, 'GET / HTTP/1.1\r\nHost: x\r\nno colon\r\n\r\n', 'not valid HTTP/1.1'],
      [408, 'GET / HTTP/1.1\r\nHost: x\r\nx-a: ', 'did not arrive in time'],
      [408, 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nhalf', 'did not arrive in time'],
    ])('with status %i for %j', async (status, request, message) => {
      const got = await responseTo([request], (incoming, response) => void incoming.on('end', () => response.end()));
      const [head, body] = got.split('\r\n\r\n') as [string, string];
      expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
      expect(head).toContain('Content-Type: application/json; charset=utf-8');
      expect(head).toContain(`Content-Length: ${Buffer.byteLength(body)}`);
      expect((JSON.parse(body) as { message: string }).message).toContain(message);
    });
  });

  it('a parser error does not send a second response into one that has begun', async () => {
    const request = 'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n';
    const got = await responseTo([request, 'no chunk\r\n'], (_, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('beginning');
    });
    expect(got).toMatch(/^HTTP\/1\.1 200 OK[^]*beginning$/);
  });
});

describe('limitConnections', () => {
  let server: Server;
  let clients: Socket[] = [];
  afterEach(() => {
    for (const client of clients) client.destroy();
    clients = [];
    server.closeAllConnections();
    server.close();
  });

  async function listening(limit: ConnectionLimit): Promise<void> {
    server = createServer((_request, response) => response.end('done'));
    limitConnections(server, limit);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  }

  /** Sends a request over a new connection from an address; resolves when the server answers or closes it. */
  async function request(localAddress: string): Promise<{ client: Socket; outcome: 'answered' | 'closed' }> {
    const client = connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', localAddress });
    client.on('error', () => undefined);
    clients.push(client);
    const outcome = new Promise<'answered' | 'closed'>((resolve) => {
      client.once('data', () => resolve('answered'));
      client.once('close', () => resolve('closed'));
    });
    client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    return { client, outcome: await outcome };
  }

  const outcomes = async (addresses: string[]): Promise<string[]> => {
    const found: string[] = [];
    for (const address of addresses) found.push((await request(address)).outcome);
    return found;
  };

  it('connections are limited per client address, and further ones are closed', async () => {
    await listening({ maxPerAddress: 2, isTrusted: () => false });
    expect(await outcomes(['127.0.0.1', '127.0.0.1', '127.0.0.1', '127.0.0.2'])).toEqual([
      'answered',
      'answered',
      'closed',
      'answered',
    ]);
  });

  it('a closed connection makes room for the next one of its address', async () => {
    await listening({ maxPerAddress: 1, isTrusted: () => false });
    const { client } = await request('127.0.0.1');
    expect(await outcomes(['127.0.0.1'])).toEqual(['closed']);
    client.destroy();
    await new Promise<void>((resolve) => {
      const look = (): void =>
        void server.getConnections((_error, count) => (count === 0 ? resolve() : setImmediate(look)));
      look();
    });
    expect(await outcomes(['127.0.0.1'])).toEqual(['answered']);
  });

  it('connections of a trusted proxy are not limited', async () => {
    await listening({ maxPerAddress: 1, isTrusted: (address) => address.endsWith('127.0.0.1') });
    expect(await outcomes(['127.0.0.1', '127.0.0.1', '127.0.0.2', '127.0.0.2'])).toEqual([
      'answered',
      'answered',
      'answered',
      'closed',
    ]);
  });
});

describe('closeStalledConnections', () => {
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

  it('a slow response is sent, and its connection is closed after the keep-alive timeout', async () => {
    const client = await connectedClient((_request, response) => {
      void delay(STALLED_MS * 4).then(() => response.end('done'));
    });
    let got = '';
    client.on('data', (data: Buffer) => (got += data.toString()));
    await once(client, 'close');
    expect(got).toMatch(/^HTTP\/1\.1 200 OK[^]*done$/);
  });
});
