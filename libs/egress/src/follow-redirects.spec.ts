import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from '@jest/globals';
import { BlockedAddress, startDeadline } from '@app/common';
import type { Resolve } from './egress-connections.js';
import { followRedirects, TooManyRedirects, type FollowRequest } from './follow-redirects.js';
import { Egress, EgressTimeout, type StreamedResponse } from './egress.js';

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

/** Only 127.0.0.1 acts as a public address; the rest of loopback acts as internal. */
function egress(resolve?: Resolve): Egress {
  const made = new Egress({ allowCidrs: ['127.0.0.1/32'], httpsOnly: false, ...(resolve && { resolve }) });
  closing.push(() => made.close());
  return made;
}

const calm = (): FollowRequest => ({ headers: {}, signal: AbortSignal.timeout(5_000), maxRedirects: 5 });

describe('a redirect', () => {
  it('is followed, also a relative one, and the response contains the final URL', async () => {
    const port = await serve((request, response) => {
      if (request.url === '/a') response.writeHead(302, { location: '/b?x=1' }).end('moved');
      else response.end(request.url);
    });
    const answer = await followRedirects(egress(), `http://127.0.0.1:${port}/a`, calm());
    expect(answer.url.pathname).toBe('/b');
    expect(await text(answer.body)).toBe('/b?x=1');
  });

  it.each([
    ['UTF-8', Buffer.from('/größe?ä=ß'), '/gr%C3%B6%C3%9Fe?%C3%A4=%C3%9F'],
    ['Latin-1', Buffer.from('/größe', 'latin1'), '/gr%F6%DFe'],
    ['percent-encoded bytes', Buffer.from('/gr%C3%B6%C3%9Fe'), '/gr%C3%B6%C3%9Fe'],
  ])('to a target in %s keeps its bytes', async (_charset, location, expected) => {
    const port = await serve((request, response) => {
      if (request.url !== '/a') {
        response.end(request.url);
        return;
      }
      request.socket.write(Buffer.concat([Buffer.from('HTTP/1.1 302 Found\r\nLocation: '), location]));
      request.socket.write('\r\nContent-Length: 0\r\n\r\n');
    });
    const answer = await followRedirects(egress(), `http://127.0.0.1:${port}/a`, calm());
    expect(await text(answer.body)).toBe(expected);
  });

  it.each([
    'http://127.0.0.2:PORT/',
    'http://10.0.0.1/',
    'http://169.254.169.254/latest/meta-data/',
    'http://[::ffff:127.0.0.2]:PORT/',
    'http://2130706434:PORT/',
    'http://user@127.0.0.1:PORT/',
    'file:///etc/passwd',
    'gopher://127.0.0.1:PORT/',
    '//127.0.0.2:PORT/',
    'http://inside.example.com:PORT/',
    'http://exa mple/',
  ])('to %s is rejected', async (location) => {
    const seen: (string | undefined)[] = [];
    const port = await serve((request, response) => {
      seen.push(request.headers.host);
      response.writeHead(302, { location: location.replace('PORT', String(port)) }).end();
    });
    const resolve: Resolve = (name) =>
      Promise.resolve([{ address: name.startsWith('inside') ? '127.0.0.2' : '127.0.0.1', family: 4 }]);
    const answer = followRedirects(egress(resolve), `http://outside.example.com:${port}/`, calm());
    await expect(answer).rejects.toThrow(BlockedAddress);
    expect(seen).toHaveLength(1);
  });

  it('from https to http is rejected', async () => {
    const open = (): Promise<StreamedResponse> =>
      Promise.resolve({ status: 301, headers: { location: 'http://example.com/' }, body: bodyOf('') });
    await expect(followRedirects({ open }, 'https://example.com/', calm())).rejects.toThrow('from https to http');
  });

  it('is followed at most five times', async () => {
    const port = await serve((request, response) => {
      const left = Number(request.url?.slice(1));
      if (left > 0) response.writeHead(307, { location: `/${left - 1}` }).end();
      else response.end('there');
    });
    const answer = await followRedirects(egress(), `http://127.0.0.1:${port}/5`, calm());
    expect(await text(answer.body)).toBe('there');
    await expect(followRedirects(egress(), `http://127.0.0.1:${port}/6`, calm())).rejects.toThrow(TooManyRedirects);
  });

  it('is announced by the callback before each request', async () => {
    const port = await serve((request, response) => {
      if (request.url === '/a') response.writeHead(302, { location: '/private' }).end();
      else response.end();
    });
    const paths: string[] = [];
    const before = (url: URL): Promise<void> => {
      paths.push(url.pathname);
      return url.pathname === '/private' ? Promise.reject(new Error('not there')) : Promise.resolve();
    };
    const answer = followRedirects(egress(), `http://127.0.0.1:${port}/a`, { ...calm(), before });
    await expect(answer).rejects.toThrow('not there');
    expect(paths).toEqual(['/a', '/private']);
  });

  it('returns cookies only to the host that set them', async () => {
    const seen: [string | undefined, string | undefined][] = [];
    const port = await serve((request, response) => {
      seen.push([request.headers.host, request.headers.cookie]);
      if (request.url === '/' && !request.headers.cookie)
        response.writeHead(302, { location: '/', 'set-cookie': ['seen=1; Path=/', 'bad=1; Domain=elsewhere.example'] });
      else if (request.url === '/') response.writeHead(302, { location: `http://b.example.com:${port}/other` });
      response.end();
    });
    const resolve: Resolve = () => Promise.resolve([{ address: '127.0.0.1', family: 4 }]);
    await followRedirects(egress(resolve), `http://a.example.com:${port}/`, calm());
    expect(seen).toEqual([
      [`a.example.com:${port}`, undefined],
      [`a.example.com:${port}`, 'seen=1'],
      [`b.example.com:${port}`, undefined],
    ]);
  });

  it('to a name with a second response (DNS rebinding) is checked like the first', async () => {
    let lookups = 0;
    const port = await serve((_, response) =>
      response.writeHead(302, { location: '/again', connection: 'close' }).end(),
    );
    const resolve: Resolve = () =>
      Promise.resolve([{ address: lookups++ === 0 ? '127.0.0.1' : '127.0.0.2', family: 4 }]);
    await expect(followRedirects(egress(resolve), `http://rebind.example.com:${port}/`, calm())).rejects.toThrow(
      BlockedAddress,
    );
    expect(lookups).toBe(2);
  });
});

it('following redirects ends at the deadline, regardless of the number of responses', async () => {
  const port = await serve((request, response) => {
    if (request.url === '/a') response.writeHead(302, { location: '/b' }).end();
  });
  const deadline = startDeadline(60, undefined, () => new EgressTimeout(60));
  const request = { ...calm(), signal: deadline.signal };
  await expect(followRedirects(egress(), `http://127.0.0.1:${port}/a`, request)).rejects.toThrow(EgressTimeout);
  deadline.clear();
});

const bodyOf = (content: string): Readable => Readable.from([content]);
