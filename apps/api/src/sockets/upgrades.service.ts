import { RateLimitsService, toLimitedAddress } from '@app/auth';
import type { Log } from '@app/common';
import { LOG } from '@app/common/settings';
import { metrics } from '@app/metrics';
import { HttpException, Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { Request } from 'express';
import { randomUUID } from 'node:crypto';
import { type Server, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { codeLabel, endSocket, SOCKET_CODES, SocketRefusal } from './socket-closing.js';

/** The subprotocol of the messages. The token of the client is a second one, because browsers cannot send headers. */
const PROTOCOL = 'trunkline.v1';
const TOKEN = 'token.';

/** Messages of clients: a text, or a frame of audio, which is smaller. */
const MAX_MESSAGE_BYTES = 4_096;
/** Makes a URL of the target of a request. */
const BASE = 'ws://api';
const MAX_SOCKETS = 2_000;
/** Several clients may share an address. */
const MAX_PER_ADDRESS = 500;
/** Also keeps the connection open at proxies, which close idle ones after 30 to 60 s. */
const PING_MS = 15_000;
/** For the clients that do not answer the close frame, before they are disconnected. */
const STOPPING_MS = 1_500;

/** An upgrade to a WebSocket whose path is known. */
export interface Upgrade {
  request: Request;
  /** The named groups of the path. */
  params: Readonly<Record<string, string>>;
  query: URLSearchParams;
  /** From the subprotocol `token.<token>`; never in the URL, which ends up in logs. */
  token: string | undefined;
}

/** A client that gets its connection. */
export interface Admission {
  accountId: number;
  callId: string;
  /** Takes the open connection. The returned function ends it with a close code. */
  serve(page: WebSocket): (code: number) => void;
  /** The client is gone before it got its connection. */
  abandon(): void;
}

/** What a path does. */
interface UpgradeRoute {
  /** In logs and metrics. */
  name: 'web_call' | 'listen';
  /** Of the whole path, without the query. */
  path: RegExp;
  /** Throws SocketRefusal, or HttpException for what a page need not tell a person. */
  admit(upgrade: Upgrade): Promise<Admission>;
}

/** The WebSockets of clients: finds the route, limits connections and failed attempts, and closes all of them when the process stops. */
@Injectable()
export class UpgradesService implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly routes: UpgradeRoute[] = [];
  private readonly server = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    clientTracking: true,
    maxPayload: MAX_MESSAGE_BYTES,
    handleProtocols: () => PROTOCOL,
  });
  private readonly served = new Map<WebSocket, (code: number) => void>();
  /** Connections that have not answered the last ping. */
  private readonly silent = new WeakSet<WebSocket>();
  private readonly addresses = new Map<string, number>();
  private count = 0;
  private pinging: NodeJS.Timeout | undefined;
  private isStopping = false;

  constructor(
    private readonly adapters: HttpAdapterHost,
    private readonly limits: RateLimitsService,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /** Adds a path; the first one that matches decides. */
  route(route: UpgradeRoute): void {
    this.routes.push(route);
  }

  onApplicationBootstrap(): void {
    const server = this.adapters.httpAdapter.getHttpServer() as Server;
    server.on('upgrade', (request, socket, head) => void this.upgrade(request as Request, socket, head));
    this.pinging = setInterval(() => this.ping(), PING_MS).unref();
  }

  /** Clients connect again, to another process. */
  async onModuleDestroy(): Promise<void> {
    this.isStopping = true;
    clearInterval(this.pinging);
    for (const close of this.served.values()) close(SOCKET_CODES.restart);
    const pages = [...this.server.clients];
    const closed = pages.map((page) => new Promise((resolve) => page.once('close', resolve)));
    const timer = setTimeout(() => pages.forEach((page) => page.terminate()), STOPPING_MS);
    await Promise.all(closed);
    clearTimeout(timer);
  }

  /** Never rejects. */
  private async upgrade(request: Request, socket: Duplex, head: Buffer): Promise<void> {
    socket.on('error', () => socket.destroy());
    const connection = { request, socket, head };
    const found = this.find(request.url);
    if (!found) return answer(socket, new HttpException('There is no such route.', 404));
    const release = this.enter(request);
    if (release instanceof HttpException) return answer(socket, release);
    socket.once('close', release);
    const line = { request_id: randomUUID(), route: found.route.name };
    let admission: Admission | undefined;
    try {
      const token = tokenOf(request);
      this.limits.beforeAttempt(addressOf(request));
      const admitted = await found.route.admit({ ...found, request, token });
      admission = admitted;
      if (!this.open(connection, (page) => this.serve(page, admitted, line))) admitted.abandon();
    } catch (error) {
      admission?.abandon();
      await this.refuse(connection, error, line).catch((err: unknown) => {
        this.log.error({ ...line, err }, 'an upgrade failed');
        socket.destroy();
      });
    }
  }

  private serve(page: WebSocket, admission: Admission, line: { route: string }): void {
    const startedAt = performance.now();
    const { route } = line;
    this.served.set(page, admission.serve(page));
    metrics.sockets.inc({ route });
    page.once('close', (code) => {
      this.served.delete(page);
      metrics.sockets.dec({ route });
      metrics.socketCloses.inc({ route, code: codeLabel(code) });
      const { accountId, callId } = admission;
      const ms = Math.round(performance.now() - startedAt);
      this.log.info({ ...line, account_id: accountId, call_id: callId, code, ms }, 'socket closed');
    });
  }

  private find(url: string): (Pick<Upgrade, 'params' | 'query'> & { route: UpgradeRoute }) | undefined {
    if (!URL.canParse(url, BASE)) return undefined;
    const { pathname, searchParams: query } = new URL(url, BASE);
    for (const route of this.routes) {
      const match = route.path.exec(pathname);
      if (match) return { route, params: { ...match.groups }, query };
    }
    return undefined;
  }

  /** Counts a connection until the returned function is called. */
  private enter(request: Request): (() => void) | HttpException {
    if (this.isStopping) return new HttpException('The process is shutting down. Connect again.', 503);
    if (this.count >= MAX_SOCKETS) return this.full('sockets', 503);
    const address = addressOf(request);
    const ofAddress = this.addresses.get(address) ?? 0;
    if (ofAddress >= MAX_PER_ADDRESS) return this.full('sockets_of_address', 429);
    this.count += 1;
    this.addresses.set(address, ofAddress + 1);
    return () => {
      this.count -= 1;
      const left = (this.addresses.get(address) ?? 0) - 1;
      if (left > 0) this.addresses.set(address, left);
      else this.addresses.delete(address);
    };
  }

  private full(limit: string, status: number): HttpException {
    metrics.httpRefused.inc({ limit });
    return new HttpException('Too many connections at the moment. Try again.', status);
  }

  /** @returns whether the client got its connection: it may be gone, or its handshake is wrong */
  private open({ request, socket, head }: Connection, serve: (page: WebSocket) => void): boolean {
    let isOpen = false;
    this.server.handleUpgrade(request, socket, head, (page) => {
      isOpen = true;
      page.on('error', (err) => this.log.debug({ err }, 'a socket failed'));
      page.on('pong', () => this.silent.delete(page));
      serve(page);
    });
    return isOpen;
  }

  /** A wrong token counts as a failed attempt of the address. */
  private async refuse(connection: Connection, error: unknown, line: { route: string }): Promise<void> {
    const { request, socket } = connection;
    if (error instanceof SocketRefusal) {
      const { code, reason, message } = error;
      this.log.info({ ...line, code, reason }, 'socket refused');
      metrics.socketCloses.inc({ route: line.route, code: codeLabel(code) });
      if (code === SOCKET_CODES.badToken) await this.limits.failedAttempt(addressOf(request));
      this.open(connection, (page) => {
        page.send(JSON.stringify({ type: 'error', code: reason, message }));
        endSocket(page, code);
      });
      return;
    }
    if (!(error instanceof HttpException)) this.log.error({ ...line, err: error }, 'an upgrade failed');
    answer(
      socket,
      error instanceof HttpException ? error : new HttpException('Something went wrong on our side.', 500),
    );
  }

  private ping(): void {
    for (const page of this.server.clients) {
      if (this.silent.has(page)) {
        page.terminate();
        continue;
      }
      this.silent.add(page);
      page.ping();
    }
  }
}

interface Connection {
  request: Request;
  socket: Duplex;
  head: Buffer;
}

/** The address of a client in the limits, derived with TRUST_PROXY. */
const addressOf = (request: Request): string => toLimitedAddress(request.ip);

/** Undefined: none. Throws 400 without the subprotocol. */
function tokenOf({ headers }: Request): string | undefined {
  const protocols = (headers['sec-websocket-protocol'] ?? '').split(',').map((protocol) => protocol.trim());
  if (!protocols.includes(PROTOCOL))
    throw new HttpException(`The request must offer the WebSocket subprotocol ${PROTOCOL}.`, 400);
  return protocols.find((protocol) => protocol.startsWith(TOKEN))?.slice(TOKEN.length);
}

function answer(socket: Duplex, error: HttpException): void {
  const status = error.getStatus();
  const body = JSON.stringify({ message: error.message });
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...(status === 429 ? ['Retry-After: 60'] : []),
    'Connection: close',
  ];
  socket.once('finish', () => socket.destroy());
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}
