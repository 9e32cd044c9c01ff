import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PATIENCE_MS } from './eventually.js';

export interface ReceivedWebhook {
  path: string;
  query: URLSearchParams;
  method: string;
  headers: IncomingHttpHeaders;
  body: string;
  /** performance.now() */
  at: number;
}

/** Writes the answer; without one the sender keeps waiting. */
export type ReceiverAnswer = (webhook: ReceivedWebhook, response: ServerResponse) => void;

/** A receiver of webhooks on loopback that stores them in order of arrival. */
export class WebhookReceiver {
  readonly received: ReceivedWebhook[] = [];
  answer: ReceiverAnswer = (_, response) => response.end('ok');
  private readonly arrivals = new EventEmitter();

  private constructor(private readonly server: Server) {
    this.arrivals.setMaxListeners(0);
    server.on('request', (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const { pathname, searchParams } = new URL(request.url ?? '/', 'http://sink');
        const webhook: ReceivedWebhook = {
          path: pathname,
          query: searchParams,
          method: request.method ?? '',
          headers: request.headers,
          body: Buffer.concat(chunks).toString('utf8'),
          at: performance.now(),
        };
        this.received.push(webhook);
        this.answer(webhook, response);
        this.arrivals.emit('arrival');
      });
    });
  }

  static async start(): Promise<WebhookReceiver> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new WebhookReceiver(server);
  }

  url(path: string): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}${path}`;
  }

  /** Waits until the predicate is true, checked after each arrival. @throws when the signal aborts. */
  async until(
    predicate: (received: ReceivedWebhook[]) => boolean,
    signal = AbortSignal.timeout(PATIENCE_MS),
  ): Promise<void> {
    while (!predicate(this.received)) await once(this.arrivals, 'arrival', { signal });
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
