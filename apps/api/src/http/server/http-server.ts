import { toLimitedAddress } from '@app/auth';
import type { Env } from '@app/common';
import { metrics } from '@app/metrics';
import type { NestApplicationOptions } from '@nestjs/common';
import { ExpressAdapter } from '@nestjs/platform-express';
import type { Express, Response } from 'express';
import { ignoredFieldWarnings, type Warning } from '../validation/ignored-fields.js';
import { createServer, IncomingMessage, type Server, type ServerOptions, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Express replaces the prototype of every request and response with Object.setPrototypeOf. On Node before 24 that is the largest single
 * cost of a request: it doubles the CPU time of reading one record. Here the server creates them with the prototypes that Express would
 * set, and Express changes nothing.
 */
export class PrototypedExpressAdapter extends ExpressAdapter {
  /** Skips the work of Express's json() and send() that is the same for each of our responses (charset, ETag, 304, settings). */
  override reply(response: Response, answer: unknown, statusCode?: number): void {
    const warnings = ignoredFieldWarnings(response);
    const body = warnings && isEnvelope(answer) ? withWarnings(answer, warnings) : answer;
    if (!isPlainObject(body)) return void super.reply(response, body, statusCode);
    if (statusCode !== undefined) response.statusCode = statusCode;
    const text = JSON.stringify(body);
    response.setHeader('Content-Type', 'application/json; charset=utf-8');
    response.setHeader('Content-Length', Buffer.byteLength(text));
    response.end(text);
  }

  override initHttpServer(_options: NestApplicationOptions): void {
    const express = this.getInstance<Express>();
    // Classes: with a plain function as `new.target`, V8 creates a new hidden class for each instance, which costs as much again.
    class ExpressRequest extends IncomingMessage {
      declare offersUpgrade: boolean | null;

      /**
       * Only for WebSockets. With a listener of upgrades, Node withholds every request with an offer from the handler: Java's HttpClient and
       * `curl --http2` offer h2c with each one over plain HTTP, and want an answer.
       */
      get upgrade(): boolean {
        return this.offersUpgrade === true && this.headers.upgrade?.toLowerCase() === 'websocket';
      }

      set upgrade(value: boolean | null) {
        this.offersUpgrade = value;
      }
    }
    class ExpressResponse<Of extends IncomingMessage = IncomingMessage> extends ServerResponse<Of> {}
    express.request = chain(ExpressRequest.prototype, express.request);
    express.response = chain(ExpressResponse.prototype, express.response);
    const options: ServerOptions = {
      ...REQUEST_TIMEOUTS,
      IncomingMessage: ExpressRequest,
      ServerResponse: ExpressResponse,
    };
    this.httpServer = createServer(options, express);
  }
}

/** An answer with a record, records, or a message. */
const isEnvelope = (body: unknown): body is object & { warnings?: Warning[] } =>
  typeof body === 'object' && body !== null && ('data' in body || 'message' in body);

/** Handlers may have warnings of their own. */
const withWarnings = (body: object & { warnings?: Warning[] }, warnings: readonly Warning[]): object => ({
  ...body,
  warnings: [...(body.warnings ?? []), ...warnings],
});

const isPlainObject = (body: unknown): body is object =>
  typeof body === 'object' && body !== null && Object.getPrototypeOf(body) === Object.prototype;

/** Makes the prototype of Express the parent of the class prototype. */
const chain = <T extends object>(own: object, expressPrototype: T): T =>
  Object.setPrototypeOf(own, expressPrototype) as T;

/** A request line with its headers fits into one packet; a client that sends it byte by byte only holds the connection. */
const HEADERS_MS = 10_000;
/** With the body: 10 MiB over a slow connection. */
const REQUEST_MS = 300_000;
const KEEP_ALIVE_MS = 65_000;
/** How often late requests are closed; Node's default is 30 s. */
const CHECK_MS = 5_000;
const MAX_HEADERS = 100;
/** A client that does not read a response holds a connection and the file that is sent. */
const STALLED_MS = 30_000;
/** An address gets a quarter of the connections, at least this many: several clients may share it. */
const MIN_PER_ADDRESS = 100;

/** Options of `createServer`. */
const REQUEST_TIMEOUTS = {
  connectionsCheckingInterval: CHECK_MS,
  headersTimeout: HEADERS_MS,
  requestTimeout: REQUEST_MS,
};

/** Limits the time, connections and headers of one client. The keep-alive time exceeds that of common load balancers. */
export function limitServer(
  server: Server,
  { MAX_CONNECTIONS }: Pick<Env, 'MAX_CONNECTIONS'>,
  isTrusted: (address: string) => boolean,
): void {
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.maxHeadersCount = MAX_HEADERS;
  server.maxConnections = MAX_CONNECTIONS;
  limitConnections(server, { maxPerAddress: Math.max(MIN_PER_ADDRESS, Math.floor(MAX_CONNECTIONS / 4)), isTrusted });
  closeStalledConnections(server, STALLED_MS);
}

/**
 * Closes connections whose client does not read a pending response for `ms`. A request that is still being handled has nothing to send
 * and continues. Between two requests, the keep-alive timeout has expired, which Node leaves to this listener.
 */
export function closeStalledConnections(server: Server, ms: number): void {
  server.setTimeout(ms, (socket: Socket) => {
    if (socket.timeout !== ms || socket.writableLength > 0) socket.destroy();
  });
}

export interface ConnectionLimit {
  /** Connections of one IPv4 address, or of one IPv6 /64. */
  maxPerAddress: number;
  /** Whether the address is a trusted proxy. Its connections belong to many clients and are not limited. */
  isTrusted: (address: string) => boolean;
}

/** Closes connections beyond the limit of an address, so that no address can use all connections of the process. */
export function limitConnections(server: Server, { maxPerAddress, isTrusted }: ConnectionLimit): void {
  const open = new Map<string, number>();
  server.on('connection', (socket: Socket) => {
    const { remoteAddress } = socket;
    // A socket without an address is closed already.
    if (remoteAddress === undefined || isTrusted(remoteAddress)) return;
    const address = toLimitedAddress(remoteAddress);
    const count = (open.get(address) ?? 0) + 1;
    if (count > maxPerAddress) {
      metrics.httpRefused.inc({ limit: 'connections' });
      socket.destroy();
      return;
    }
    open.set(address, count);
    socket.once('close', () => {
      const left = (open.get(address) ?? 0) - 1;
      if (left > 0) open.set(address, left);
      else open.delete(address);
    });
  });
}

type ErrorResponse = [status: string, message: string];

const NOT_HTTP: ErrorResponse = ['400 Bad Request', 'The request is not valid HTTP/1.1.'];

/** Responses by the code of Node's error. */
const RESPONSES: Record<string, ErrorResponse> = {
  HPE_HEADER_OVERFLOW: [
    '431 Request Header Fields Too Large',
    'The request line and its headers must not be larger than 16 KB together.',
  ],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: ['413 Content Too Large', 'The extensions of a chunk are too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request did not arrive in time.'],
};

/**
 * Responds with a JSON error to requests that the HTTP parser of Node rejects or that do not arrive in time, and closes the
 * connection.
 */
export function handleClientErrors(server: Server): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    if (!socket.writable || error.code === 'ECONNRESET' || isResponding(socket)) {
      socket.destroy();
      return;
    }
    const [status, message] = RESPONSES[error.code ?? ''] ?? NOT_HTTP;
    const body = JSON.stringify({ message });
    const head = [
      `HTTP/1.1 ${status}`,
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
      'Connection: close',
    ];
    socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
  });
}

/** A second response would be read as part of the first. Node keeps the current response in this field of the socket. */
const isResponding = (socket: Socket & { _httpMessage?: ServerResponse | null }): boolean =>
  socket._httpMessage?.headersSent === true;
