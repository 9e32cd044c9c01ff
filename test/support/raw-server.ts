import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

type Handler = (response: ServerResponse, request: IncomingMessage & { body: string }) => void | Promise<void>;

/** An HTTP server that answers with anything. */
export class RawServer {
  readonly requests: (IncomingMessage & { body: string })[] = [];
  /** Open connections. */
  readonly sockets = new Set<Socket>();
  private onClosed = (): void => undefined;

  private constructor(private readonly server: Server) {
    server.on('connection', (socket) => {
      this.sockets.add(socket);
      socket.on('error', () => socket.destroy());
      socket.on('close', () => {
        this.sockets.delete(socket);
        this.onClosed();
      });
    });
  }

  static async start(answer: Handler): Promise<RawServer> {
    const server = createServer();
    const raw = new RawServer(server);
    server.on('request', (request, response) => void raw.take(request, response, answer));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return raw;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** Resolves when all connections are closed. */
  async closed(): Promise<void> {
    while (this.sockets.size > 0) await new Promise<void>((resolve) => (this.onClosed = resolve));
  }

  async stop(): Promise<void> {
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close');
  }

  private async take(request: IncomingMessage, response: ServerResponse, answer: Handler): Promise<void> {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    const whole = Object.assign(request, { body });
    this.requests.push(whole);
    await answer(response, whole);
  }
}

/** The head of a stream of events. */
export const EVENT_STREAM = { 'content-type': 'text/event-stream' };

/** A chunk of chat completions. */
export const chunkOf = (delta: object, finishReason: string | null = null, more: object = {}): string =>
  `data: ${JSON.stringify({
    id: 'c1',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'm',
    choices: [{ index: 0, delta, finish_reason: finishReason }],
    ...more,
  })}\n\n`;

export const END = 'data: [DONE]\n\n';
