import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTcpServer, type AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from '@jest/globals';
import { BlockedAddress } from '@app/common';
import { ConnectProxy } from '../../../test/support/connect-proxy.js';
import { type Resolve, ProxyRefusal } from './egress-connections.js';
import { followRedirects } from './follow-redirects.js';
import { Egress, EgressTimeout, type EgressOptions, type EgressRequest } from './egress.js';

const closing: (() => Promise<unknown> | void)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function serve(listener: RequestListener): Promise<number> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

async function proxyTo(targets: Record<string, number>): Promise<ConnectProxy> {
  const proxy = await ConnectProxy.start(targets);
  closing.push(() => proxy.close());
  return proxy;
}

const noDns: Resolve = () => Promise.reject(new Error('The proxy resolves names.'));

function egress(proxyUrl: string, options: Partial<EgressOptions> = {}): Egress {
  const made = new Egress({ allowCidrs: [], httpsOnly: false, resolve: noDns, proxyUrl, ...options });
  closing.push(() => made.close());
  return made;
}

const get: EgressRequest = { method: 'GET', headers: {}, totalTimeoutMs: 5_000, maxBodyBytes: 1_000 };

describe('an egress with a proxy', () => {
  it('sends requests by CONNECT with the host name, which the proxy resolves', async () => {
    const port = await serve((request, response) => response.end(request.headers.host));
    const proxy = await proxyTo({ 'hooks.example.com:8080': port });
    const response = await egress(proxy.url).request('http://hooks.example.com:8080/x', {
      ...get,
      method: 'POST',
      body: '{}',
    });
    expect([response.status, response.body.toString()]).toEqual([200, 'hooks.example.com:8080']);
    expect([proxy.connects, proxy.plainRequests]).toEqual([['hooks.example.com:8080'], 0]);
  });

  it('sends user and password to the proxy only', async () => {
    const port = await serve((request, response) => response.end(JSON.stringify(request.headers)));
    const proxy = await proxyTo({ 'hooks.example.com:80': port });
    const url = proxy.url.replace('//', '//operator:secret@');
    const { body } = await egress(url).request('http://hooks.example.com/', get);
    expect(proxy.authorization).toBe(`Basic ${Buffer.from('operator:secret').toString('base64')}`);
    expect(body.toString()).not.toMatch(/proxy|secret/i);
  });

  it.each([
    'http://127.0.0.1',
    'http://2130706433',
    'http://[::ffff:10.0.0.1]',
    'http://169.254.169.254',
    'http://localhost',
    'http://metadata.google.internal',
    'http://redis',
    'http://127.0.0.1@hooks.example.com',
    'ftp://hooks.example.com',
  ])('rejects %s without contacting the proxy', async (url) => {
    const proxy = await proxyTo({});
    await expect(egress(proxy.url).request(`${url}:8080/`, get)).rejects.toThrow(BlockedAddress);
    expect(proxy.connects).toEqual([]);
  });

  it('rejects internal host names despite an allow-list, because the proxy resolves them', async () => {
    const proxy = await proxyTo({});
    const guard = egress(proxy.url, { allowCidrs: ['10.0.0.0/8'] });
    await expect(guard.request('http://db.internal/', get)).rejects.toThrow('internal host name');
    await expect(guard.request('http://10.0.0.1/', get)).rejects.toThrow(ProxyRefusal);
    expect(proxy.connects).toEqual(['10.0.0.1:80']);
  });

  it('rejects plain http if https is required', async () => {
    const guard = egress((await proxyTo({})).url, { httpsOnly: true });
    await expect(guard.request('http://hooks.example.com/', get)).rejects.toThrow('https://');
  });

  it('reports a refusal of the proxy without naming the target', async () => {
    const proxy = await proxyTo({});
    const refused = egress(proxy.url).request('https://hooks.example.com/x?token=1', get);
    await expect(refused).rejects.toEqual(new ProxyRefusal(undefined));
    expect(proxy.connects).toEqual(['hooks.example.com:443']);
  });

  it('checks redirects like the first URL', async () => {
    const port = await serve((_, response) => response.writeHead(302, { location: 'http://10.0.0.1/' }).end());
    const proxy = await proxyTo({ 'docs.example.com:80': port });
    const request = { headers: {}, signal: AbortSignal.timeout(5_000), maxRedirects: 5 };
    await expect(followRedirects(egress(proxy.url), 'http://docs.example.com/', request)).rejects.toThrow(
      BlockedAddress,
    );
    expect(proxy.connects).toEqual(['docs.example.com:80']);
  });

  it('streams responses', async () => {
    const port = await serve((_, response) => response.end('a page'));
    const proxy = await proxyTo({ 'docs.example.com:80': port });
    const answer = await egress(proxy.url).open('http://docs.example.com/', {}, AbortSignal.timeout(5_000));
    expect(await text(answer.body)).toBe('a page');
  });

  it('gets the final response after an interim one, through the tunnel', async () => {
    const port = await serve(({ socket }) => {
      socket.write('HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok');
    });
    const guard = egress((await proxyTo({ 'hooks.example.com:80': port })).url);
    for (let n = 0; n < 2; n++)
      expect((await guard.request('http://hooks.example.com/', get)).body.toString()).toBe('ok');
  });

  it('ends a request in time if the proxy never answers CONNECT', async () => {
    const silent = createTcpServer((socket) => closing.push(() => void socket.destroy())).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    closing.push(() => void silent.close());
    const guard = egress(`http://127.0.0.1:${(silent.address() as AddressInfo).port}`);
    await expect(guard.request('http://a.example.com/', { ...get, totalTimeoutMs: 60 })).rejects.toThrow(EgressTimeout);
  });
});
