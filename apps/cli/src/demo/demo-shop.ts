import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';

/** Longer than the agent stays silent. */
const THINKING_MS = 2_000;

export const ORDER = { order_number: 'A 17', ready_in_minutes: 20 };

export interface ShopOrder {
  path: string;
  headers: IncomingMessage['headers'];
  body: string;
}

/** What the agent's tool calls: a shop that takes an order, and two seconds to do so. */
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

  /** Whether every order carries the account's signature, by the official library of Standard Webhooks. */
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
