import type { Env } from '@app/common';
import type { NextFunction, Request, Response } from 'express';

const METHODS = 'GET, POST, PUT, PATCH, DELETE';
const REQUEST_HEADERS = 'Authorization, Content-Type, Idempotency-Key, X-Request-Id, Last-Event-ID';
const ANSWER_HEADERS =
  'X-Request-Id, X-RateLimit-Limit, X-RateLimit-Remaining, Retry-After, Idempotent-Replayed, Content-Disposition, Trunkline-Ignored-Fields';
const PREFLIGHT_SECONDS = '600';

/**
 * Lets the pages of CORS_ORIGINS read answers; by default there are none, and no header of CORS is ever sent. Cookies play no part:
 * a page sends its token itself, so credentials are not allowed.
 */
export function crossOrigin({ CORS_ORIGINS }: Pick<Env, 'CORS_ORIGINS'>) {
  const allowed = new Set(CORS_ORIGINS);
  return (request: Request, response: Response, next: NextFunction): void => {
    if (allowed.size === 0) return next();
    response.setHeader('Vary', 'Origin');
    const { origin } = request.headers;
    if (origin === undefined || !allowed.has(origin)) return next();
    response.setHeader('Access-Control-Allow-Origin', origin);
    response.setHeader('Access-Control-Expose-Headers', ANSWER_HEADERS);
    // Helmet's default lets pages of our own site only use what they read.
    response.setHeader('Cross-Origin-Resource-Policy', 'cross-origin');
    if (request.method !== 'OPTIONS' || request.headers['access-control-request-method'] === undefined) return next();
    response.setHeader('Access-Control-Allow-Methods', METHODS);
    response.setHeader('Access-Control-Allow-Headers', REQUEST_HEADERS);
    response.setHeader('Access-Control-Max-Age', PREFLIGHT_SECONDS);
    response.status(204).end();
  };
}
