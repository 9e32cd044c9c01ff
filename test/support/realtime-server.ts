import type { RealtimeClientEvent } from 'openai/resources/realtime/realtime';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';

/** An event to the client, of any shape that a foreign server may send. */
export type AnyEvent = { type: string } & Record<string, unknown>;
/** A message of a protocol without event types. */
type AnyMessage = Record<string, unknown>;

interface Refusal {
  status: number;
  headers?: Record<string, string>;
  body?: unknown;
}

/** A server on loopback that sends the Realtime events of a test. */
export class ScriptedServer {
  readonly requests: IncomingMessage[] = [];
  readonly connections: ScriptedConnection[] = [];
  /** Answers the next attempts to connect, in order, instead of a WebSocket. */
  refusals: Refusal[] = [];
  /** The reply to a session configuration; `undefined`: none. */
  onSession: ((update: AnyEvent) => AnyMessage | undefined) | undefined = (update) => ({
    ...update,
    type: 'session.updated',
  });
  readonly url: string;
  /** The first event of every connection. */
  hello: AnyEvent | undefined = { type: 'session.created', session: {} };
  private readonly sockets = new WebSocketServer({ noServer: true });

  private constructor(private readonly http: Server) {
    this.url = `ws://127.0.0.1:${(http.address() as AddressInfo).port}/v1/realtime`;
    http.on('upgrade', (request: IncomingMessage, socket, head) => {
      this.requests.push(request);
      const refusal = this.refusals.shift();
      const connected = (client: WebSocket) => {
        this.connections.push(new ScriptedConnection(client, (update) => this.onSession?.(update), this.hello));
        this.sockets.emit('connection', client);
      };
      if (refusal) socket.end(refusalText(refusal));
      else this.sockets.handleUpgrade(request, socket, head, connected);
    });
  }

  static async start(): Promise<ScriptedServer> {
    const http = createServer((_, response) => response.writeHead(426).end());
    http.listen(0, '127.0.0.1');
    await once(http, 'listening');
    return new ScriptedServer(http);
  }

  get last(): ScriptedConnection {
    const connection = this.connections.at(-1);
    if (!connection) throw new Error('There is no connection yet.');
    return connection;
  }

  /** Resolves when there is a connection. */
  async whenConnected(): Promise<void> {
    if (this.connections.length === 0) await once(this.sockets, 'connection');
  }

  async stop(): Promise<void> {
    for (const connection of this.connections) connection.socket.terminate();
    if (!this.http.listening) return;
    this.http.close();
    this.http.closeAllConnections();
    await once(this.http, 'close');
  }
}

/** The server's side of one conversation. */
class ScriptedConnection {
  readonly received: RealtimeClientEvent[] = [];
  private waiting: { count: number; resolve: () => void }[] = [];

  constructor(
    readonly socket: WebSocket,
    onSession: (update: AnyEvent) => AnyMessage | undefined,
    hello: AnyEvent | undefined,
  ) {
    socket.on('message', (data: Buffer) => {
      const event = JSON.parse(data.toString()) as RealtimeClientEvent;
      this.received.push(event);
      const configures = ['session.update', 'session.start'].includes(event.type) || 'setup' in event;
      const answer = configures ? onSession(event as unknown as AnyEvent) : undefined;
      if (answer) this.send(answer);
      for (const one of this.waiting.filter(({ count }) => this.received.length >= count)) one.resolve();
    });
    if (hello) this.send(hello);
  }

  send(...events: AnyMessage[]): void {
    for (const event of events) this.socket.send(JSON.stringify(event));
  }

  /** The events of the client from the first to the `count`th. */
  async got(count: number): Promise<RealtimeClientEvent[]> {
    if (this.received.length < count) await new Promise<void>((resolve) => this.waiting.push({ count, resolve }));
    return this.received;
  }

  /** The last of `count` events of the client. */
  async gotAt(count: number): Promise<RealtimeClientEvent | undefined> {
    return (await this.got(count))[count - 1];
  }
}

function refusalText({ status, headers = {}, body }: Refusal): string {
  const text = body === undefined ? '' : JSON.stringify(body);
  const all = { 'content-length': String(Buffer.byteLength(text)), connection: 'close', ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  return [`HTTP/1.1 ${status} No`, ...lines, '', text].join('\r\n');
}
