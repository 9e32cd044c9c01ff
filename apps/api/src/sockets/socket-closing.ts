import type { WebSocket } from 'ws';

/** The codes with which the api closes the WebSocket of a page (RFC 6455 §7.4.2: 4000 to 4999 are those of an application). */
export const SOCKET_CODES = {
  /** The call has ended, or the client ends. */
  normal: 1000,
  /** The client does not read what it gets; it may connect again. */
  slow: 1008,
  /** The process stops, or the dialer is gone; the client connects again. */
  restart: 1012,
  badMessage: 4400,
  badToken: 4401,
  notAllowed: 4403,
  noCall: 4404,
  limit: 4429,
  noDialer: 4503,
} as const;

/** After the close frame, a client has this time to close the connection. */
const CLOSING_MS = 1_000;

/** Closes a connection; a peer that does not answer the close frame is disconnected. */
export function endSocket(socket: WebSocket, code: number): void {
  socket.close(code);
  const timer = setTimeout(() => socket.terminate(), CLOSING_MS);
  socket.once('close', () => clearTimeout(timer));
}

/** Close codes of this service and of RFC 6455 §7.4.1, which metrics count; a client can send any. */
const COUNTED: ReadonlySet<number> = new Set([
  ...Object.values(SOCKET_CODES),
  ...[1001, 1002, 1005, 1006, 1007, 1009, 1011, 4408, 4409],
]);

export const codeLabel = (code: number): string => (COUNTED.has(code) ? String(code) : 'other');

/** Thrown when a page gets no connection. A browser cannot read the answer to a failed upgrade, so it gets the reason over the WebSocket. */
export class SocketRefusal extends Error {
  constructor(
    /** One of SOCKET_CODES. */
    readonly code: number,
    /** For programs; snake_case. */
    readonly reason: string,
    /** A sentence for the person at the page. */
    message: string,
  ) {
    super(message);
  }
}
