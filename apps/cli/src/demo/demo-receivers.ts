import { EventEmitter, once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';

/** Longer than the agent stays silent during a tool call. */
const THINKING_MS = 2_000;

export const ORDER = { order_number: 'A 17', ready_in_minutes: 20 };

export interface ShopOrder {
  path: string;
  headers: IncomingMessage['headers'];
  body: string;
}

/** Receives the requests of the agent's tool: a shop that takes two seconds to confirm an order. */
export class DemoShop {
  readonly orders: ShopOrder[] = [];

  private constructor(private readonly server: Server) {}

  static async start(onOrder: (path: string) => void): Promise<DemoShop> {
    const server = createServer();
    const shop = new DemoShop(server);
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      onOrder(request.url ?? '');
      shop.take(request, response).catch((error: Error) => response.destroy(error));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return shop;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Whether every order has a valid signature, verified by the official library of Standard Webhooks. */
  signed(secret: string): boolean {
    const verifier = new Webhook(secret);
    try {
      for (const { body, headers } of this.orders) verifier.verify(body, headers as Record<string, string>);
      return this.orders.length > 0;
    } catch {
      return false;
    }
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private async take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.orders.push({ path: request.url ?? '', headers: request.headers, body: await text(request) });
    await delay(THINKING_MS);
    response.writeHead(201, { 'content-type': 'application/json' }).end(JSON.stringify(ORDER));
  }
}

export interface DemoWebhook {
  headers: IncomingHttpHeaders;
  text: string;
  body: { id: string; type: string; event: string; sequence: number; data: Record<string, unknown> };
}

/** Receives the demo's webhooks on loopback. */
export class DemoWebhookReceiver {
  readonly received: DemoWebhook[] = [];
  private readonly arrivals = new EventEmitter();

  private constructor(
    private readonly server: Server,
    private readonly onEvent: (event: string) => void,
  ) {}

  static async start(onEvent: (event: string) => void): Promise<DemoWebhookReceiver> {
    const server = createServer();
    const sink = new DemoWebhookReceiver(server, onEvent);
    server.on('request', (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        response.writeHead(204).end();
        sink.take(request.headers, Buffer.concat(chunks).toString());
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return sink;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/webhooks`;
  }

  of(callId: string): DemoWebhook[] {
    return this.received.filter((webhook) => webhook.body.data.call_id === callId);
  }

  /** Resolves when the event of the call has arrived, or after `ms`: the checks report missing events. */
  async until(callId: string, event: string, ms: number): Promise<void> {
    const timeout = AbortSignal.timeout(ms);
    while (!timeout.aborted && !this.of(callId).some((webhook) => webhook.body.event === event)) {
      await once(this.arrivals, 'webhook', { signal: timeout }).catch((error: Error) => {
        if (error.name !== 'AbortError') throw error;
      });
    }
  }

  /** Number of webhooks with a valid signature, verified by the official library of Standard Webhooks. */
  signed(webhooks: DemoWebhook[], secret: string): number {
    const verifier = new Webhook(secret);
    return webhooks.filter((webhook) => {
      try {
        verifier.verify(webhook.text, webhook.headers as Record<string, string>);
        return true;
      } catch {
        return false;
      }
    }).length;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private take(headers: IncomingHttpHeaders, text: string): void {
    const body = JSON.parse(text) as DemoWebhook['body'];
    this.received.push({ headers, text, body });
    this.onEvent(body.event);
    this.arrivals.emit('webhook');
  }
}
