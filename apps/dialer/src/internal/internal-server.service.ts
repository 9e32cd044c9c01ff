import { bySetting, type Env, InternalRequests, type Log } from '@app/common';
import { ENV, LOG } from '@app/common/settings';
import { Inject, Injectable } from '@nestjs/common';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, STATUS_CODES } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { bindAddressOf, hostOf, internalHost } from './internal-address.js';

/** The largest message: a text frame. Audio frames are smaller. */
const MAX_MESSAGE_BYTES = 4_096;
/** A connection sends its request at once. */
const REQUEST_MS = 5_000;
/** Two pings without a pong: the other process is gone, or its machine is. */
const PING_MS = 10_000;
/** RFC 6455 §7.4.1. */
const GOING_AWAY = 1001;
const CLOSING_MS = 1_000;
/** Connections beside those of the calls: listeners, and connections that replace others. */
const FURTHER_CONNECTIONS = 400;

/** An upgrade whose signature is valid. */
export interface InternalUpgrade {
  /** The named groups of the path. */
  params: Readonly<Record<string, string>>;
  query: URLSearchParams;
}

/** What a path of the internal server does. */
export interface InternalRoute {
  /** Of the whole path, without the query. */
  path: RegExp;
  /** Decides about an upgrade: a number is the status of the refusal, otherwise the function gets the open connection. */
  accept(upgrade: InternalUpgrade): number | ((socket: WebSocket) => void);
}

/**
 * The HTTP server at which other processes of the installation reach this dialer: WebSockets with the audio of calls. Each request carries
 * a signature (InternalRequests).
 */
@Injectable()
export class InternalServerService {
  private readonly routes: InternalRoute[] = [];
  private readonly sockets = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    clientTracking: true,
    maxPayload: MAX_MESSAGE_BYTES,
  });
  /** Connections that have not answered the last ping. */
  private readonly silent = new WeakSet<WebSocket>();
  private server?: Server;
  private pinging?: NodeJS.Timeout;
  private host = '';

  constructor(
    private readonly requests: InternalRequests,
    @Inject(ENV) private readonly env: Env,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /** Adds a path; the first one that matches decides. */
  route(route: InternalRoute): void {
    this.routes.push(route);
  }

  /** Listens. @throws UnusableSetting when INTERNAL_PORT is taken */
  async start(): Promise<void> {
    const { INTERNAL_PORT: port } = this.env;
    const host = await internalHost(this.env);
    const server = createServer({ requestTimeout: REQUEST_MS, headersTimeout: REQUEST_MS }, (_request, response) => {
      response.writeHead(404, { connection: 'close' }).end();
    });
    server.maxConnections = this.maxConnections;
    server.on('upgrade', (request, socket, head) => this.upgrade(request, socket, head));
    server.listen(port, bindAddressOf(host));
    await once(server, 'listening').catch((error: unknown) => {
      throw bySetting(error, { INTERNAL_PORT: port });
    });
    this.host = host;
    this.server = server;
    this.pinging = setInterval(() => this.ping(), PING_MS).unref();
  }

  /** `host:port` for other processes. */
  get address(): string {
    if (!this.server) throw new Error('The internal server is not running.');
    return `${hostOf(this.host)}:${(this.server.address() as AddressInfo).port}`;
  }

  get connections(): number {
    return this.sockets.clients.size;
  }

  /** Ends the remaining connections, after their last messages; also after a failed start. */
  async close(): Promise<void> {
    clearInterval(this.pinging);
    await this.closeConnections();
    const { server } = this;
    if (!server?.listening) return;
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  }

  private async closeConnections(): Promise<void> {
    const open = [...this.sockets.clients];
    const closed = open.map((socket) => new Promise((resolve) => socket.once('close', resolve)));
    for (const socket of open) socket.close(GOING_AWAY);
    const limit = setTimeout(() => open.forEach((socket) => socket.terminate()), CLOSING_MS);
    await Promise.all(closed);
    clearTimeout(limit);
  }

  private get maxConnections(): number {
    return this.env.DIALER_CALLS + FURTHER_CONNECTIONS;
  }

  private upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on('error', () => socket.destroy());
    const accepted = this.accepted(request);
    if (typeof accepted === 'number') return refuse(socket, accepted);
    this.sockets.handleUpgrade(request, socket, head, (client) => {
      client.on('error', (err) => this.log.debug({ err }, 'an internal connection failed'));
      client.on('pong', () => this.silent.delete(client));
      accepted(client);
    });
  }

  private accepted(request: IncomingMessage): ReturnType<InternalRoute['accept']> {
    if (!this.requests.isSigned(request)) {
      this.log.warn({}, 'an internal request without a valid signature was refused');
      return 401;
    }
    if (this.connections >= this.maxConnections) return 503;
    const { pathname, searchParams: query } = new URL(request.url ?? '', 'ws://internal');
    for (const route of this.routes) {
      const match = route.path.exec(pathname);
      if (match) return route.accept({ params: { ...match.groups }, query });
    }
    return 404;
  }

  private ping(): void {
    for (const socket of this.sockets.clients) {
      if (this.silent.has(socket)) {
        socket.terminate();
        continue;
      }
      this.silent.add(socket);
      socket.ping();
    }
  }
}

function refuse(socket: Duplex, status: number): void {
  socket.once('finish', () => socket.destroy());
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}
