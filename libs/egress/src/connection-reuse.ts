import { subscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';

interface Use {
  requests: number;
  /** Something came after the last request. */
  heard: boolean;
}

const uses = new WeakMap<object, Use>();
/** Why connections ended that had carried a request before. */
const inReuse = new WeakSet<object>();

// undici has no other way to learn which connection a request uses.
subscribe('undici:client:sendHeaders', (message) => {
  const use = uses.get((message as { socket: object }).socket);
  if (!use) return;
  use.requests++;
  use.heard = false;
});

/** Follows a new connection, so that `closedInReuse` knows. Call it before the first request. */
export function followUse(socket: Socket): void {
  const use: Use = { requests: 0, heard: false };
  uses.set(socket, use);
  socket.on('readable', () => {
    if (socket.readableLength > 0) use.heard = true;
  });
  socket.on('error', (error) => {
    if (use.requests > 1 && !use.heard) inReuse.add(error);
  });
}

/**
 * A connection that was kept open for the next request ended while that one was on its way, before any of its answer: the remote party
 * closes what was idle for its own time, and the two cross. The request is to be sent again (RFC 9112 §9.3.1); it is most likely
 * unread, and what must not be done twice names itself (`Idempotency-Key`, `webhook-id`).
 */
export function closedInReuse(error: unknown): boolean {
  if (typeof error !== 'object' || error === null || !inReuse.has(error)) return false;
  const { code } = error as NodeJS.ErrnoException;
  return code === 'UND_ERR_SOCKET' || code === 'ECONNRESET' || code === 'EPIPE';
}
