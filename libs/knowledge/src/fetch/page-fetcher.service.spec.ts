import { EventEmitter, once, setMaxListeners } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { Egress, type Resolve } from '@app/egress';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  type FetchContext,
  type FetchedPage,
  fetchPage,
  type KnownPage,
  type PageRequest,
  pageType,
} from './page-fetcher.service.js';
import { RetryAfterProblem } from './fetch-problem.js';
import { HostPlaces } from './host-places.js';
import { Robots } from './robots.js';

const closing: (() => Promise<unknown> | void)[] = [];
let home: string;
let file: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'trunkline-fetch-'));
  file = join(home, 'page');
});
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
  await rm(home, { recursive: true, force: true });
});

/** A site whose robots.txt is missing unless a test sets it. */
async function site(page: RequestListener, robots?: RequestListener): Promise<string> {
  const noRobots: RequestListener = (_, response) => response.writeHead(404).end();
  const listener: RequestListener = (request, response) =>
    (request.url === '/robots.txt' ? (robots ?? noRobots) : page)(request, response);
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function fetcher(options: Partial<FetchContext> & { resolve?: Resolve } = {}): FetchContext {
  const { resolve, ...rest } = options;
  const egress = new Egress({ allowCidrs: ['127.0.0.1/32'], httpsOnly: false, ...(resolve && { resolve }) });
  closing.push(() => egress.close());
  const agent = 'Trunkline/test';
  return { egress, hosts: new HostPlaces(), robots: new Robots({ egress, agent }), agent, ...rest };
}

const fetchIt = (
  url: string,
  { known, ...options }: Parameters<typeof fetcher>[0] & { known?: KnownPage } = {},
): Promise<FetchedPage | 'unchanged'> =>
  fetchPage(fetcher(options), { accountId: 1, url, into: file, known }, AbortSignal.timeout(20_000));

const HTML = { 'content-type': 'text/html; charset=utf-8' };
const page = (response: ServerResponse, text = '<p>Hello</p>'): unknown => response.writeHead(200, HTML).end(text);

describe('a fetched page', () => {
  it('is written to the file and reported with type, charset, validators and hash', async () => {
    let received: IncomingMessage | undefined;
    const origin = await site((request, response) => {
      received = request;
      const headers = {
        ...HTML,
        etag: '"1"',
        'last-modified': 'Tue, 01 Jul 2025 00:00:00 GMT',
        'content-encoding': 'gzip',
      };
      response.writeHead(200, headers).end(gzipSync('<p>Hello</p>'));
    });
    const fetched = await fetchIt(`${origin}/a?b=c`);
    expect(fetched).toMatchObject({ type: 'html', charset: 'utf-8', bytes: 12, etag: '"1"' });
    expect(await readFile(file, 'utf8')).toBe('<p>Hello</p>');
    expect(received?.headers).toMatchObject({ 'user-agent': 'Trunkline/test', 'accept-encoding': 'gzip, br' });
  });

  it('is read if a proxy has changed it (203)', async () => {
    const origin = await site((_, response) => void response.writeHead(203, HTML).end('<p>Hello</p>'));
    expect(await fetchIt(origin)).toMatchObject({ type: 'html', bytes: 12 });
  });

  it('is the one to which an empty page refreshes, at most five times and with the rules of robots.txt', async () => {
    const asked: (string | undefined)[] = [];
    const origin = await site(
      (request, response) => {
        asked.push(request.url);
        const left = Number(request.url?.slice(1));
        if (left > 0) page(response, `<meta http-equiv="refresh" content="0; url=/${left - 1}">`);
        else page(response);
      },
      (_, response) => void response.end('User-agent: *\nDisallow: /9'),
    );
    expect(await fetchIt(`${origin}/5`)).toMatchObject({ bytes: 12, url: { href: `${origin}/0` } });
    expect(asked).toEqual(['/5', '/4', '/3', '/2', '/1', '/0']);
    await expect(fetchIt(`${origin}/8`)).rejects.toMatchObject({ code: 'TOO_MANY_REDIRECTS' });
    await expect(fetchIt(`${origin}/10`)).rejects.toMatchObject({ code: 'ROBOTS_DISALLOWED' });
  });

  it('is fetched again from the page that refreshes to it, without the validators of another page', async () => {
    const conditions: (string | undefined)[] = [];
    const origin = await site((request, response) => {
      conditions.push(request.headers['if-none-match']);
      const isStub = request.url === '/';
      const isUnchanged = !isStub && request.headers['if-none-match'] !== undefined;
      response.writeHead(isUnchanged ? 304 : 200, { ...HTML, etag: isStub ? '"stub"' : '"page"' });
      response.end(isStub ? '<meta http-equiv="refresh" content="0; url=/page">' : '<p>Hello</p>');
    });
    expect(await fetchIt(`${origin}/`)).toMatchObject({ bytes: 12, etag: null, lastModified: null });
    const known = { etag: '"older"', lastModified: null };
    expect(await fetchIt(`${origin}/`, { known })).toMatchObject({ bytes: 12, etag: null });
    expect(conditions).toEqual([undefined, undefined, '"older"', undefined]);
  });

  it('is a text with the example of a refresh if the server names it plain text', async () => {
    const text = '<meta http-equiv="refresh" content="0; url=/other">';
    const origin = await site((_, response) => {
      response.writeHead(200, { 'content-type': 'text/plain' }).end(text);
    });
    expect(await fetchIt(`${origin}/notes`)).toMatchObject({ type: 'txt', url: { href: `${origin}/notes` } });
  });

  it('is not transferred again if it is unchanged', async () => {
    const origin = await site((request, response) => {
      if (request.headers['if-none-match'] === '"1"') response.writeHead(304).end();
      else page(response);
    });
    expect(await fetchIt(`${origin}/`, { known: { etag: '"1"', lastModified: null } })).toBe('unchanged');
    expect(await fetchIt(`${origin}/`, { known: { etag: '"0"', lastModified: null } })).toMatchObject({ bytes: 12 });
  });
});

describe('a failed request', () => {
  it.each<[string, RequestListener, boolean]>([
    ['HTTP_404', (_, response) => response.writeHead(404).end(), false],
    ['HTTP_403', (_, response) => response.writeHead(403).end(), false],
    ['HTTP_503', (_, response) => response.writeHead(503).end(), true],
    ['HTTP_304', (_, response) => response.writeHead(304).end(), false],
    ['HTTP_302', (_, response) => response.writeHead(302).end(), false],
    ['URL_BLOCKED', (_, response) => response.writeHead(302, { location: 'http://127.0.0.2/' }).end(), false],
    ['TOO_MANY_REDIRECTS', (_, response) => response.writeHead(302, { location: '/' }).end(), false],
    [
      'UNSUPPORTED_FORMAT',
      (_, response) => response.writeHead(200, { ...HTML, 'content-encoding': 'zstd' }).end(),
      false,
    ],
    ['URL_TOO_LARGE', (_, response) => response.writeHead(200, { ...HTML, 'content-length': '10485761' }).end(), false],
    ['URL_TOO_LARGE', (_, response) => endless(response), false],
    [
      'URL_TOO_LARGE',
      (_, response) =>
        response.writeHead(200, { ...HTML, 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(30_000_000))),
      false,
    ],
    ['URL_UNREACHABLE', (request) => request.socket.destroy(), true],
    ['URL_UNREACHABLE', (request) => request.socket.end('not http at all\r\n\r\n'), true],
  ])('is reported as %s', async (code, listener, retryable) => {
    const origin = await site(listener);
    await expect(fetchIt(`${origin}/`)).rejects.toMatchObject({ code, retryable });
  });

  it.each<[string, RequestListener]>([
    ['a body', (_, response) => void response.writeHead(200, { ...HTML, 'content-length': '9' }).write('torn')],
    ['a header', (request) => void request.socket.write('HTTP/1.1 200 OK\r\nx-a: ')],
    ['a response', () => undefined],
    ['a body that arrives byte by byte', (_, response) => drip(response)],
    ['a header that arrives byte by byte', (request) => dripHeader(request)],
    ['a chain of slow redirects', (request, response) => moveSlowly(response, `${request.url}a`)],
    [
      'the body after a slow redirect',
      (request, response) => (request.url === '/moved' ? drip(response) : moveSlowly(response, '/moved')),
    ],
  ])('ends as URL_TIMEOUT at the deadline, without another try, if %s never completes', async (_, listener) => {
    const origin = await site(listener);
    const refused = fetchIt(`${origin}/`, { timeoutMs: 800 });
    await expect(refused).rejects.toMatchObject({ code: 'URL_TIMEOUT', retryable: false });
  });

  it.each([
    ['URL_BLOCKED', 'http://127.0.0.2:9/'],
    ['URL_BLOCKED', 'http://10.0.0.1/'],
    ['URL_BLOCKED', 'http://localhost.internal/'],
    ['URL_BLOCKED', 'ftp://example.com/'],
    ['URL_BLOCKED', 'nonsense'],
    ['URL_UNREACHABLE', 'http://127.0.0.1:1/'],
    ['URL_UNREACHABLE', 'http://no-such-name.example.invalid/'],
  ])('is reported as %s for %s', async (code, url) => {
    const resolve: Resolve = (name) =>
      name.endsWith('invalid')
        ? Promise.reject(Object.assign(new Error('ENOTFOUND'), { code: 'ENOTFOUND' }))
        : Promise.resolve([{ address: '8.8.8.8', family: 4 }]);
    await expect(fetchIt(url, { resolve })).rejects.toMatchObject({ code });
  });

  it('is reported as URL_UNREACHABLE if the TLS handshake fails', async () => {
    const origin = await site((_, response) => page(response));
    await expect(fetchIt(origin.replace('http:', 'https:'))).rejects.toMatchObject({ code: 'URL_UNREACHABLE' });
  });

  it('contains the wait that the server requests by Retry-After', async () => {
    const origin = await site((_, response) => response.writeHead(429, { 'retry-after': '7' }).end());
    const problem = await fetchIt(`${origin}/`).catch((error: unknown) => error);
    expect(problem).toBeInstanceOf(RetryAfterProblem);
    expect(problem).toMatchObject({ code: 'HTTP_429', retryable: true, afterMs: 7_000 });
  });
});

describe('robots.txt', () => {
  const robots =
    (text: string): RequestListener =>
    (_, response) =>
      response.writeHead(200, { 'content-type': 'text/plain' }).end(text);

  it.each([
    ['User-agent: *\nDisallow: /private', '/private/x', 'ROBOTS_DISALLOWED'],
    ['User-agent: *\nDisallow: /private', '/public', undefined],
    ['User-agent: trunkline\nDisallow: /\nUser-agent: *\nAllow: /', '/public', 'ROBOTS_DISALLOWED'],
    ['User-agent: *\nDisallow: /\nUser-agent: Trunkline\nAllow: /', '/public', undefined],
    ['User-agent: *\nDisallow: /*.pdf$', '/a.pdf', 'ROBOTS_DISALLOWED'],
    ['User-agent: *\nDisallow: /*?s=', '/a?s=1', 'ROBOTS_DISALLOWED'],
    ['\uFEFF<html>nonsense', '/public', undefined],
    ['', '/public', undefined],
  ])('%j applied to %s results in %s', async (text, path, code) => {
    const origin = await site((_, response) => page(response), robots(text));
    expect(await codeOf(fetchIt(origin + path))).toBe(code);
  });

  it.each<[string, RequestListener, string | undefined]>([
    ['is missing allows the page', (_, response) => response.writeHead(404).end(), undefined],
    ['is forbidden allows the page', (_, response) => response.writeHead(403).end(), undefined],
    [
      'redirects endlessly allows the page',
      (_, response) => response.writeHead(302, { location: '/robots.txt' }).end(),
      undefined,
    ],
    ['has no end is evaluated up to the limit', (_, response) => endless(response), undefined],
    ['fails postpones the page', (_, response) => response.writeHead(503).end(), 'HTTP_503'],
    ['answers 429 postpones the page', (_, response) => response.writeHead(429).end(), 'HTTP_429'],
    ['closes the connection postpones the page', (request) => request.socket.destroy(), 'URL_UNREACHABLE'],
    [
      'redirects to an internal address blocks the page',
      (_, response) => response.writeHead(302, { location: 'http://127.0.0.2/' }).end(),
      'URL_BLOCKED',
    ],
  ])('that %s', async (_, listener, code) => {
    const origin = await site((_, response) => page(response), listener);
    expect(await codeOf(fetchIt(`${origin}/`))).toBe(code);
  });

  it('that arrives byte by byte ends the fetch at its deadline', async () => {
    const slow: RequestListener = (_, response) => drip(response);
    const origin = await site((_, response) => page(response), slow);
    await expect(fetchIt(`${origin}/`, { timeoutMs: 500 })).rejects.toMatchObject({ code: 'URL_TIMEOUT' });
  });

  it('is requested once per host of a redirect, and never if it is ignored', async () => {
    let requests = 0;
    const rules: RequestListener = (request, response) => {
      requests++;
      robots('User-agent: *\nDisallow: /no')(request, response);
    };
    const origin = await site((_, response) => page(response), rules);
    const start = await site((_, response) => response.writeHead(302, { location: `${origin}/no` }).end());
    const shared = fetcher();
    const calm = AbortSignal.timeout(5_000);
    for (let time = 0; time < 3; time++)
      await expect(fetchPage(shared, { accountId: 1, url: `${start}/`, into: file }, calm)).rejects.toMatchObject({
        code: 'ROBOTS_DISALLOWED',
      });
    expect(requests).toBe(1);
    await expect(fetchIt(`${origin}/no`, { robots: undefined })).resolves.toMatchObject({ type: 'html' });
    expect(requests).toBe(1);
  });
});

describe('a host', () => {
  it.each([
    ['two', 'one account', 2, () => 1],
    ['four', 'many accounts', 4, (page: number) => page % 6],
  ])('receives %s requests at a time for pages of %s', async (_number, _accounts, limit, accountOf) => {
    let most = 0;
    const open = new Set<ServerResponse>();
    const answer = async (): Promise<void> => {
      // A further request would arrive before these are answered.
      for (let time = 0; time < 3; time++) await fetch(`${origin}/robots.txt`);
      for (const one of open) page(one);
      open.clear();
    };
    const origin = await site((_, response) => {
      most = Math.max(most, open.add(response).size);
      if (open.size === limit || most === limit) void answer();
    });
    const shared = fetcher({ robots: undefined });
    const one = (i: number) =>
      fetchPage(shared, requestOf(`${origin}/${i}`, accountOf(i), i), AbortSignal.timeout(10_000));
    await Promise.all(Array.from({ length: 12 }, (_, i) => one(i)));
    expect(most).toBe(limit);
    expect(shared.hosts.size).toBe(0);
  });

  it.each(['its own address', 'a redirect'])(
    'answers a page of one account at %s while forty pages of another account hang there',
    async (way) => {
      const hanging: string[] = [];
      const stop = new AbortController();
      setMaxListeners(0, stop.signal);
      const arrivals = new EventEmitter();
      const twoHang = once(arrivals, 'second');
      const origin = await site((request, response) => {
        if (request.url === '/page') page(response);
        else if (hanging.push(request.url ?? '') === 2) arrivals.emit('second');
      });
      const elsewhere = await site((_, response) => response.writeHead(302, { location: `${origin}/page` }).end());
      const shared = fetcher();
      const forty = Promise.allSettled(
        Array.from({ length: 40 }, (_, i) => fetchPage(shared, requestOf(`${origin}/${i}`, 1, i), stop.signal)),
      );
      await twoHang;
      const url = way === 'a redirect' ? `${elsewhere}/` : `${origin}/page`;
      await expect(fetchPage(shared, requestOf(url, 2, 40), AbortSignal.timeout(10_000))).resolves.toMatchObject({
        type: 'html',
      });
      expect(hanging).toEqual(['/0', '/1']);
      stop.abort(new Error('stopping'));
      expect((await forty).filter(({ status }) => status === 'fulfilled')).toEqual([]);
      expect(shared.hosts.size).toBe(0);
    },
  );
});

const requestOf = (url: string, accountId: number, file: number): PageRequest => ({
  accountId,
  url,
  into: join(home, String(file)),
});

it('a fetch ends with the reason of its signal', async () => {
  const stop = new AbortController();
  const origin = await site(() => stop.abort(new Error('stopping')));
  await expect(fetchPage(fetcher(), requestOf(`${origin}/`, 1, 0), stop.signal)).rejects.toThrow('stopping');
});

function endless(response: ServerResponse): void {
  response.writeHead(200, HTML);
  const more = (): void => {
    while (response.write(Buffer.alloc(100_000, 'x')));
  };
  response.on('drain', more);
  more();
}

function drip(response: ServerResponse): void {
  response.writeHead(200, HTML);
  const timer = setInterval(() => response.write('.'), 20);
  response.on('close', () => clearInterval(timer));
}

function dripHeader(request: IncomingMessage): void {
  request.socket.write('HTTP/1.1 200 OK\r\nx-slow: ');
  const timer = setInterval(() => request.socket.write('a'), 20);
  request.socket.on('close', () => clearInterval(timer));
}

function moveSlowly(response: ServerResponse, location: string): void {
  setTimeout(() => response.writeHead(302, { location }).end(), 300);
}

/** The error's code; undefined: no failure. */
const codeOf = (fetched: Promise<unknown>): Promise<string | undefined> =>
  fetched.then(
    () => undefined,
    (error: { code?: string }) => error.code,
  );

const at = (path: string): URL => new URL(path, 'https://example.com/');

it.each([
  ['text/html; charset=utf-8', '/', { type: 'html', text: 'html', charset: 'utf-8' }],
  ['TEXT/HTML;Charset="ISO-8859-2"', '/a.pdf', { type: 'html', text: 'html', charset: 'ISO-8859-2' }],
  ['application/xhtml+xml', '/', { type: 'html', text: 'html' }],
  ['text/plain', '/robots.txt', { type: 'txt', text: 'txt' }],
  ['text/plain; charset=utf-8', '/main/README.md', { type: 'md', text: 'md', charset: 'utf-8' }],
  ['text/plain', '/prices.csv?raw=1', { type: 'csv', text: 'csv' }],
  ['text/markdown', '/x', { type: 'md', text: 'md' }],
  ['text/csv', '/x', { type: 'csv', text: 'csv' }],
  ['application/pdf', '/x', { type: 'pdf' }],
  ['application/msword', '/x', { type: 'doc' }],
  ['application/octet-stream', '/manual.PDF', { type: 'pdf', text: 'txt' }],
  ['binary/octet-stream', '/prices.csv', { type: 'csv', text: 'csv' }],
  ['image/png', '/manual.pdf', {}],
  [undefined, '/index.htm', { type: 'html', text: 'html' }],
  [undefined, '/', { text: 'txt' }],
  ['text/html; charset=<script>', '/', { type: 'html', text: 'html' }],
  ['application/json', '/api', {}],
  ['application/rss+xml', '/feed', {}],
  ['image/svg+xml', '/logo', {}],
  ['application/octet-stream', '/app.js', {}],
  ['constructor', '/', { text: 'txt' }],
])('the content type %s at %s is expected to be %j', (header, path, expected) =>
  expect(pageType(header, at(path))).toEqual(expected),
);
