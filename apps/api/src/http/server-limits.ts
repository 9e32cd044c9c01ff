import type { Env } from '@app/common';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { limitConnections } from './connection-limit.js';

/** A request line with its headers fits into one packet; a client that sends it byte by byte only holds the connection. */
const HEADERS_MS = 10_000;
/** With the body: 10 MiB over a slow line. */
const REQUEST_MS = 300_000;
const KEEP_ALIVE_MS = 65_000;
/** How often late requests are closed; Node's default is 30 s. */
const CHECK_MS = 5_000;
const MAX_HEADERS = 100;
/** A client that reads nothing of a response for this long holds a connection, and the file that is sent. */
const STALLED_MS = 30_000;
/** One address gets a quarter of the connections, and at least this many: several clients may share an address. */
const MIN_PER_ADDRESS = 100;

/** Options of `createServer`. */
export const REQUEST_TIMEOUTS = {
  connectionsCheckingInterval: CHECK_MS,
  headersTimeout: HEADERS_MS,
  requestTimeout: REQUEST_MS,
};

/** Limits the time, connections and headers of one client. The keep-alive is longer than that of usual load balancers. */
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
 * Closes connections on which a response waits and the client reads nothing for `ms`. A request that takes longer to handle has nothing to
 * send yet and continues. Between two requests the keep-alive timeout has expired, which Node leaves to this listener.
 */
export function closeStalledConnections(server: Server, ms: number): void {
  server.setTimeout(ms, (socket: Socket) => {
    if (socket.timeout !== ms || socket.writableLength > 0) socket.destroy();
  });
}
