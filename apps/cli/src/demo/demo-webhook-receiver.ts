import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';

export interface DemoWebhook {
  headers: IncomingHttpHeaders;
  text: string;
  body: { id: string; type: string; event: string; sequence: number; data: Record<string, unknown> };
}

/** Receives the demo's webhooks on loopback. */
export class DemoWebhookReceiver {
  readonly received: DemoWebhook[] = [];
  private readonly news = new EventEmitter();

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

  /** Resolves when the event of the call has arrived, or after `ms`: the checks report missing ones. */
  async until(callId: string, event: string, ms: number): Promise<void> {
    const timeout = AbortSignal.timeout(ms);
    while (!timeout.aborted && !this.of(callId).some((webhook) => webhook.body.event === event)) {
      await once(this.news, 'webhook', { signal: timeout }).catch((error: Error) => {
        if (error.name !== 'AbortError') throw error;
      });
    }
  }

  /** How many carry the signature of the secret, by the official library of Standard Webhooks. */
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
    this.news.emit('webhook');
  }
}
