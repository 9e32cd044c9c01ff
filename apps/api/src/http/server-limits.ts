import type { Env } from '@app/common';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { shareConnections } from './connection-share.js';

/** A request line with its headers is there in one packet; whoever sends them byte by byte only wants the connection. */
const HEADERS_MS = 10_000;
/** With its body: 10 MiB over a slow line. */
const REQUEST_MS = 300_000;
const KEEP_ALIVE_MS = 65_000;
/** Cuts what is late; Node looks every 30 s otherwise. */
const LOOK_MS = 5_000;
const MAX_HEADERS = 100;
/** Who reads nothing of an answer for so long keeps a connection, and the file that is sent, for nothing. */
const STALLED_MS = 30_000;
/** One address gets a quarter of the connections; so many at least, for the clients behind one address. */
const FEWEST_PER_ADDRESS = 100;

/** Of `createServer`: how often it looks for requests that are late. */
export const LATE_REQUESTS = {
  connectionsCheckingInterval: LOOK_MS,
  headersTimeout: HEADERS_MS,
  requestTimeout: REQUEST_MS,
};

/** What one client may hold of the server: time, connections, headers. The keep-alive is longer than that of usual balancers. */
export function limitServer(
  server: Server,
  { MAX_CONNECTIONS }: Pick<Env, 'MAX_CONNECTIONS'>,
  isTrusted: (address: string) => boolean,
): void {
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.maxHeadersCount = MAX_HEADERS;
  server.maxConnections = MAX_CONNECTIONS;
  shareConnections(server, { most: Math.max(FEWEST_PER_ADDRESS, Math.floor(MAX_CONNECTIONS / 4)), isTrusted });
  cutStalled(server, STALLED_MS);
}

/**
 * Cuts connections on which an answer waits and nothing is read for `ms`. A request that is thought about for longer has nothing to
 * send yet, and goes on; between two requests the time that has run out is the keep-alive's, which Node leaves to us then.
 */
export function cutStalled(server: Server, ms: number): void {
  server.setTimeout(ms, (socket: Socket) => {
    if (socket.timeout !== ms || socket.writableLength > 0) socket.destroy();
  });
}
