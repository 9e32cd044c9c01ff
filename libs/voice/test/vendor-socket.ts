import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';

/** A vendor's WebSocket that sends the messages of a test. */
export class VendorSocket {
  /** Control messages of the clients, parsed. */
  readonly received: Record<string, unknown>[] = [];
  /** Binary messages of the clients. */
  readonly audio: Buffer[] = [];
  readonly requests: IncomingMessage[] = [];
  /** Close codes of the clients. */
  readonly closes: number[] = [];
  /** Called with each connection. */
  onConnection: (socket: WebSocket) => void = () => undefined;
  /** Called with each control message. */
  onMessage: (message: Record<string, unknown>, socket: WebSocket) => void = () => undefined;
  private waiting: (() => void)[] = [];

  private constructor(private readonly server: WebSocketServer) {
    server.on('connection', (socket, request) => {
      this.requests.push(request);
      socket.on('message', (data: Buffer, isBinary) => this.take(data, isBinary, socket));
      socket.on('close', (code) => {
        this.closes.push(code);
        this.wake();
      });
      this.onConnection(socket);
    });
  }

  static async start(): Promise<VendorSocket> {
    const server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
    await once(server, 'listening');
    return new VendorSocket(server);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Sends to all clients. */
  send(...messages: (object | string)[]): void {
    for (const client of this.server.clients)
      for (const message of messages) client.send(typeof message === 'string' ? message : JSON.stringify(message));
  }

  async until(done: () => boolean): Promise<void> {
    while (!done()) await new Promise<void>((resolve) => this.waiting.push(resolve));
  }

  get clients(): WebSocket[] {
    return [...this.server.clients];
  }

  async stop(): Promise<void> {
    for (const client of this.server.clients) client.terminate();
    this.server.close();
    await once(this.server, 'close');
  }

  private take(data: Buffer, isBinary: boolean, socket: WebSocket): void {
    if (isBinary) this.audio.push(data);
    else {
      const message = JSON.parse(data.toString()) as Record<string, unknown>;
      this.received.push(message);
      this.onMessage(message, socket);
    }
    this.wake();
  }

  private wake(): void {
    const { waiting } = this;
    this.waiting = [];
    waiting.forEach((resolve) => resolve());
  }
}
