import type { Env } from '@app/common';
import type { NextFunction, Request, Response } from 'express';
import helmet from 'helmet';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';

/** Case-insensitive, as the routes are. */
const API_PATH = /^\/api\//i;

/** For JSON responses of the API: a browser neither renders, frames nor executes them. */
const API_OPTIONS = {
  contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } },
  frameguard: { action: 'deny' },
  // These apply only to documents or to obsolete browsers and plug-ins.
  crossOriginOpenerPolicy: false,
  originAgentCluster: false,
  xDnsPrefetchControl: false,
  xDownloadOptions: false,
  xPermittedCrossDomainPolicies: false,
  xXssProtection: false,
} as const;

/**
 * Helmet's headers, one set for API responses and one for pages. Both are constant, so helmet runs once at start instead of eleven
 * functions per request. Over plain HTTP there is no Strict-Transport-Security: the browser would insist on HTTPS.
 */
export function securityHeaders({ PUBLIC_URL }: Env) {
  const strictTransportSecurity = PUBLIC_URL?.startsWith('https://') ?? false;
  const upgradeInsecureRequests = strictTransportSecurity ? [] : null;
  const apiHeaders = headersSetBy(helmet({ ...API_OPTIONS, strictTransportSecurity }));
  apiHeaders.push(['Cache-Control', 'no-store']);
  const pageHeaders = headersSetBy(
    helmet({ strictTransportSecurity, contentSecurityPolicy: { directives: { upgradeInsecureRequests } } }),
  );
  return (request: Request, response: Response, next: NextFunction): void => {
    const headers = API_PATH.test(request.url) ? apiHeaders : pageHeaders;
    for (const [name, value] of headers) response.setHeader(name, value);
    next();
  };
}

/** The headers that a middleware adds to a response. */
function headersSetBy(middleware: ReturnType<typeof helmet>): [string, string][] {
  const response = new ServerResponse(new IncomingMessage(new Socket()));
  middleware(response.req, response, (error) => {
    if (error) throw error;
  });
  return Object.entries(response.getHeaders()).map(([name, value]) => [name, String(value)]);
}

const METHODS = 'GET, POST, PUT, PATCH, DELETE';
const REQUEST_HEADERS =
  'Authorization, Trunkline-Account, Content-Type, Idempotency-Key, Prefer, X-Request-Id, Last-Event-ID, Mcp-Protocol-Version';
const RESPONSE_HEADERS =
  'X-Request-Id, X-RateLimit-Limit, X-RateLimit-Remaining, Retry-After, Idempotent-Replayed, Content-Disposition, Preference-Applied, Trunkline-Ignored-Fields';
const PREFLIGHT_SECONDS = '600';

/**
 * Allows pages of the origins in CORS_ORIGINS to read responses. The list is empty by default; then no CORS header is sent. Credentials
 * are not allowed: the API uses no cookies, and pages send their token themselves.
 */
export function corsHeaders({ CORS_ORIGINS }: Pick<Env, 'CORS_ORIGINS'>) {
  const allowed = new Set(CORS_ORIGINS);
  return (request: Request, response: Response, next: NextFunction): void => {
    if (allowed.size === 0) return next();
    response.setHeader('Vary', 'Origin');
    const { origin } = request.headers;
    if (origin === undefined || !allowed.has(origin)) return next();
    response.setHeader('Access-Control-Allow-Origin', origin);
    response.setHeader('Access-Control-Expose-Headers', RESPONSE_HEADERS);
    // Helmet's default, same-origin, would block these pages.
    response.setHeader('Cross-Origin-Resource-Policy', 'cross-origin');
    if (request.method !== 'OPTIONS' || request.headers['access-control-request-method'] === undefined) return next();
    response.setHeader('Access-Control-Allow-Methods', METHODS);
    response.setHeader('Access-Control-Allow-Headers', REQUEST_HEADERS);
    response.setHeader('Access-Control-Max-Age', PREFLIGHT_SECONDS);
    response.status(204).end();
  };
}
