import type { NextFunction, Request, Response } from 'express';
import { announcesBody } from './json-body.js';

/** A client that is still sending gets so long to read the answer. */
const LINGER_MS = 1_000;

/**
 * A body that nobody wants any more is not read to its end: after the answer the connection is cut. At once would be too soon:
 * the client's system throws the answer away when it sends into a closed connection.
 */
export function stopWhenAnswered(request: Request, response: Response, next: NextFunction): void {
  if (announcesBody(request)) {
    response.once('finish', () => {
      if (request.complete) return;
      const timer = setTimeout(() => request.socket.destroy(), LINGER_MS).unref();
      request.once('close', () => clearTimeout(timer));
    });
  }
  next();
}
