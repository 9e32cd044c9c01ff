import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setImmediate as turn } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from '@jest/globals';
import { BlockedAddress } from '@app/common';
import { resolveChecked, type Resolve } from './egress-connections.js';
import { Egress, EgressTimeout, type EgressOptions, type EgressRequest } from './egress.js';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** A server on 127.0.0.1 that counts its connections. */
async function serve(
  listener: (...args: Parameters<RequestListener>) => unknown,
): Promise<{ port: number; connections: () => number; server: Server }> {
  const server = createServer((...args) => void listener(...args)).listen(0, '127.0.0.1');
  let connections = 0;
  server.on('connection', () => connections++);
  await once(server, 'listening');
  closing.push(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  return { port: (server.address() as AddressInfo).port, connections: () => connections, server };
}

function egress(options: Partial<EgressOptions> = {}): Egress {
  const made = new Egress({ allowCidrs: [], httpsOnly: false, ...options });
  closing.push(() => made.close());
  return made;
}

const get: EgressRequest = { method: 'GET', headers: {}, totalTimeoutMs: 5_000, maxBodyBytes: 1_000 };
const loopback = { allowCidrs: ['127.0.0.0/8'] };
const answers =
  (...addresses: string[]): Resolve =>
  () =>
    Promise.resolve(addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })));

const INSIDE =
  `127.0.0.1 0.0.0.0 10.0.0.1 172.31.255.255 192.168.1.1 169.254.169.254 100.100.100.200 168.63.129.16 192.0.0.192
  198.18.0.1 203.0.113.7 224.0.0.1 255.255.255.255 240.0.0.1 ::1 :: ::ffff:127.0.0.1 ::ffff:a9fe:a9fe 64:ff9b::7f00:1
  2002:7f00:1:: fd00:ec2::254 fe80::1 fc00::1 ff02::1 2001:db8::1 100::1`.split(/\s+/);

describe('a request is rejected before a connection is opened', () => {
  it.each(INSIDE)('if the host name resolves to %s', async (address) => {
    const { port, connections } = await serve((_, response) => response.end());
    const request = egress({ resolve: answers(address) }).request(`http://hooks.example.com:${port}/`, get);
    await expect(request).rejects.toThrow(BlockedAddress);
    expect(connections()).toBe(0);
  });

  it.each([
    ['8.8.8.8', '127.0.0.1'],
    ['127.0.0.1', '8.8.8.8'],
    ['2606:4700:4700::1111', '8.8.8.8', '::1'],
  ])('if one of the addresses is internal: %s %s', async (...addresses) => {
    const request = egress({ resolve: answers(...addresses) }).request('https://hooks.example.com/', get);
    await expect(request).rejects.toThrow('resolves to an address that is not public');
  });

  it.each(['http://127.0.0.1', 'http://127.1', 'http://0x7f000001', 'http://[::ffff:127.0.0.1]', 'http://localhost'])(
    'when the URL is %s',
    async (url) => {
      const { port, connections } = await serve((_, response) => response.end());
      await expect(egress().request(`${url}:${port}/`, get)).rejects.toThrow(BlockedAddress);
      expect(connections()).toBe(0);
    },
  );

  it('if an internal host name has a public address', async () => {
    const request = egress({ ...loopback, resolve: answers('8.8.8.8') }).request('http://sink/', get);
    await expect(request).rejects.toThrow('internal host name');
  });
});

describe('DNS rebinding', () => {
  it('has no effect: the second response of the resolver is checked like the first', async () => {
    const { port, connections } = await serve((_, response) => response.end());
    // 127.0.0.2 acts as the public address; no server listens there.
    let lookups = 0;
    const resolve: Resolve = (name) => answers(lookups++ === 0 ? '127.0.0.2' : '127.0.0.1')(name);
    const guard = egress({ allowCidrs: ['127.0.0.2/32'], resolve });
    await expect(guard.request(`http://rebind.example.com:${port}/`, get)).rejects.toThrow('ECONNREFUSED');
    expect(lookups).toBe(1);
    await expect(guard.request(`http://rebind.example.com:${port}/`, get)).rejects.toThrow(BlockedAddress);
    expect(connections()).toBe(0);
  });
});

it.each([[['93.184.215.14']], [['2606:4700:4700::1111']], [['93.184.215.14', '2606:4700:4700::1111']]])(
  'public addresses %j are connected to as they were checked',
  async (addresses) => {
    const resolved = await resolveChecked('example.com', [], answers(...addresses));
    expect(resolved.map(({ address }) => address)).toEqual(addresses);
  },
);

describe('an allowed request', () => {
  it('is sent to the checked address with the host name as Host, and requests no compression', async () => {
    const { port } = await serve((request, response) => {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ host: request.headers.host, encoding: request.headers['accept-encoding'] }));
    });
    const guard = egress({ ...loopback, resolve: answers('127.0.0.1') });
    const response = await guard.request(`http://hooks.example.com:${port}/x?y=1`, {
      ...get,
      headers: { ...get.headers, 'accept-encoding': 'gzip' },
      method: 'POST',
      body: '{}',
    });
    expect(response).toMatchObject({ status: 200, truncated: false });
    expect(JSON.parse(response.body.toString())).toEqual({ host: `hooks.example.com:${port}`, encoding: 'identity' });
  });

  it('does not follow redirects', async () => {
    const { port } = await serve((_, response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end());
    const response = await egress(loopback).request(`http://127.0.0.1:${port}/`, get);
    expect(response.status).toBe(302);
    expect(response.headers['location']).toBe('http://127.0.0.1:1/');
  });

  it('reads an endless response up to the limit and closes the connection', async () => {
    let closed: Promise<unknown> | undefined;
    const { port } = await serve((_, response) => {
      closed = once(response, 'close');
      const more = () => {
        while (response.write('x'.repeat(10_000)));
      };
      response.on('drain', more);
      more();
    });
    const response = await egress(loopback).request(`http://127.0.0.1:${port}/`, get);
    expect(response.truncated).toBe(true);
    expect(response.body).toHaveLength(1_000);
    await closed;
  });

  it('does not decode a compression bomb', async () => {
    const bomb = gzipSync(Buffer.alloc(500_000));
    const { port } = await serve((_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb));
    const response = await egress(loopback).request(`http://127.0.0.1:${port}/`, { ...get, maxBodyBytes: 10_000 });
    expect(response.body.equals(bomb)).toBe(true);
  });

  it.each<[string, RequestListener]>([
    ['never starts its answer', () => undefined],
    ['never ends its headers', (request) => request.socket.write('HTTP/1.1 200 OK\r\nx-a: ')],
    [
      'drips its body',
      (_, response) => {
        const drip = setInterval(() => response.write('.'), 5);
        response.on('close', () => clearInterval(drip));
      },
    ],
  ])('ends in time if the server %s', async (_, listener) => {
    const { port } = await serve(listener);
    const request = egress(loopback).request(`http://127.0.0.1:${port}/`, { ...get, totalTimeoutMs: 60 });
    await expect(request).rejects.toThrow(EgressTimeout);
  });

  it('ends with the reason of its signal', async () => {
    const stop = new AbortController();
    const { port } = await serve(() => stop.abort(new Error('stopping')));
    const request = egress(loopback).request(`http://127.0.0.1:${port}/`, { ...get, signal: stop.signal });
    await expect(request).rejects.toThrow('stopping');
  });

  it('fails if the connection is closed without a response', async () => {
    const { port, connections } = await serve((request) => request.socket.destroy());
    await expect(egress(loopback).request(`http://127.0.0.1:${port}/`, get)).rejects.toThrow('other side closed');
    expect(connections()).toBe(1);
  });

  const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';
  it.each([
    ['100 Continue', [`HTTP/1.1 100 Continue\r\n\r\n${OK}`], '200 ok'],
    ['100 Continue with headers', [`HTTP/1.1 100 Continue\r\nvia: 1.1 proxy\r\n\r\n${OK}`], '200 ok'],
    [
      'several interim responses',
      [`HTTP/1.1 102 Processing\r\n\r\n${'HTTP/1.1 100 C\r\n\r\n'.repeat(3)}${OK}`],
      '200 ok',
    ],
    ['103 Early Hints', ['HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n', OK], '200 ok'],
    ['an interim response in pieces', ['HTT', 'P/1.1 100', ' Continue\r', '\n\r\nHTTP/1.1 20', OK.slice(11)], '200 ok'],
    ['204 with a content-length', ['HTTP/1.1 204 No Content\r\ncontent-length: 5\r\n\r\n'], '204 '],
    ['304 with the length of the content', ['HTTP/1.1 304 Not Modified\r\ncontent-length: 5\r\n\r\n'], '304 '],
  ])('gets the final response after %s, on new and on reused connections', async (_what, pieces, expected) => {
    let requests = 0;
    const { port } = await serve(async ({ socket }) => {
      requests++;
      socket.setNoDelay(true);
      for (const piece of pieces) {
        socket.write(piece);
        await turn();
      }
    });
    const guard = egress(loopback);
    const url = `http://127.0.0.1:${port}/`;
    for (let n = 0; n < 2; n++) {
      const { status, body } = await guard.request(url, { ...get, method: 'POST', body: '{}' });
      expect(`${status} ${body.toString()}`).toBe(expected);
      const stream = await guard.open(url, {}, AbortSignal.timeout(5_000));
      expect(`${stream.status} ${await text(stream.body)}`).toBe(expected);
    }
    expect(requests).toBe(4);
  });

  describe('on a reused connection', () => {
    const post = { ...get, method: 'POST', body: '{}' };

    it.each([
      ['closed', (socket: Socket) => socket.end()],
      ['reset', (socket: Socket) => socket.resetAndDestroy()],
    ])('is sent again if the connection is %s at the same moment', async (_how, end) => {
      const met = new Map<Socket, number>();
      const { port, connections } = await serve(({ socket }, response) => {
        met.set(socket, (met.get(socket) ?? 0) + 1);
        if (met.get(socket) === 1) response.end(String(met.size));
        else end(socket);
      });
      const guard = egress(loopback);
      const texts: string[] = [];
      for (let n = 0; n < 5; n++) texts.push((await guard.request(`http://127.0.0.1:${port}/`, post)).body.toString());
      expect(texts).toEqual(['1', '2', '3', '4', '5']);
      expect(connections()).toBe(5);
    });

    it.each<[string, (socket: Socket) => void, string]>([
      ['that breaks off', (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nabc'), 'closed'],
      ['that is none', (socket) => socket.end('nonsense\r\n\r\n'), 'does not match the HTTP/1.1 protocol'],
      ['of 100 (Continue) only', (socket) => socket.end('HTTP/1.1 100 Continue\r\n\r\n'), 'closed'],
      ['that ends within an interim one', (socket) => socket.end('HTTP/1.1 100 Con'), 'closed'],
    ])('is not sent again if it gets a response %s', async (_what, answer, problem) => {
      let requests = 0;
      const { port } = await serve(({ socket }, response) => {
        requests++;
        if (requests === 1) response.end();
        else answer(socket);
      });
      const guard = egress(loopback);
      await guard.request(`http://127.0.0.1:${port}/`, post);
      await expect(guard.request(`http://127.0.0.1:${port}/`, post)).rejects.toThrow(problem);
      expect(requests).toBe(2);
    });
  });
});
