import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The HTML of a page with a title, a text and links; a link may be followed by its attributes: `/a rel="nofollow"`. */
export interface SitePage {
  title: string;
  text: string;
  links?: string[];
  /** Further elements of the head. */
  head?: string;
}

type Answer = SitePage | ((request: IncomingMessage, response: ServerResponse) => unknown);

/** A web site of a test, whose pages may change at any time. Pages have an ETag; every other path is missing. */
export class TestSite {
  readonly pages = new Map<string, Answer>();
  /** Paths in the order of requests, without robots.txt. */
  readonly requests: string[] = [];
  /** Requests that were answered by 304. */
  readonly unchanged: string[] = [];
  private readonly waiting: (() => void)[] = [];

  private constructor(
    private readonly server: Server,
    readonly origin: string,
  ) {}

  static async start(pages: Record<string, Answer> = {}): Promise<TestSite> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const site = new TestSite(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    site.set(pages);
    server.on('request', (request: IncomingMessage, response: ServerResponse) => site.answer(request, response));
    return site;
  }

  set(pages: Record<string, Answer>): void {
    for (const [path, page] of Object.entries(pages)) this.pages.set(path, page);
  }

  /** Resolves when this many requests have arrived. */
  async requested(count: number): Promise<void> {
    while (this.requests.length < count) await new Promise<void>((resolve) => this.waiting.push(resolve));
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  private answer(request: IncomingMessage, response: ServerResponse): void {
    const path = request.url ?? '/';
    if (path !== '/robots.txt') this.requests.push(path);
    for (const resolve of this.waiting.splice(0)) resolve();
    const page = this.pages.get(path);
    if (!page) return void response.writeHead(404).end('missing');
    if (typeof page === 'function') return void page(request, response);
    const html = htmlOf(page);
    const etag = `"${createHash('sha256').update(html).digest('hex')}"`;
    if (request.headers['if-none-match'] === etag) {
      this.unchanged.push(path);
      return void response.writeHead(304).end();
    }
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', etag }).end(html);
  }
}

export const htmlOf = ({ title, text, links = [], head = '' }: SitePage): string =>
  `<!doctype html><html><head><title>${title}</title>${head}</head><body><main><h1>${title}</h1><p>${text}</p><ul>${links
    .map((link) => `<li><a href="${link.split(' ')[0]}" ${link.split(' ').slice(1).join(' ')}>More</a></li>`)
    .join('')}</ul></main></body></html>`;

export const redirectTo = (location: string) => (_: IncomingMessage, response: ServerResponse) =>
  response.writeHead(302, { location }).end();

export const xml = (content: string) => (_: IncomingMessage, response: ServerResponse) =>
  response.writeHead(200, { 'content-type': 'application/xml' }).end(`<?xml version="1.0"?>${content}`);

export const plain = (content: string) => (_: IncomingMessage, response: ServerResponse) =>
  response.writeHead(200, { 'content-type': 'text/plain' }).end(content);
