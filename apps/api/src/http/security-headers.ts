import type { Env } from '@app/common';
import type { NextFunction, Request, Response } from 'express';
import helmet from 'helmet';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';

/** Routes are found whatever the case. */
const DATA = /^\/api\//i;

/** Answers of the API are data: whoever makes a page of one, or keeps one, shall get nothing out of it. */
const OF_DATA = {
  contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } },
  frameguard: { action: 'deny' },
  // These speak to documents, and to browsers and plug-ins that are gone.
  crossOriginOpenerPolicy: false,
  originAgentCluster: false,
  xDnsPrefetchControl: false,
  xDownloadOptions: false,
  xPermittedCrossDomainPolicies: false,
  xXssProtection: false,
} as const;

/**
 * Helmet's headers, one set for data and one for pages, which are the same for every answer: it is asked once, not eleven functions
 * per request. CORS stays closed: no header of it is ever sent. Over plain HTTP a browser must not be told to insist on HTTPS.
 */
export function securityHeaders({ PUBLIC_URL }: Env) {
  const strictTransportSecurity = PUBLIC_URL?.startsWith('https://') ?? false;
  const upgradeInsecureRequests = strictTransportSecurity ? [] : null;
  const ofData = headersOf(helmet({ ...OF_DATA, strictTransportSecurity }));
  ofData.push(['Cache-Control', 'no-store']);
  const ofPages = headersOf(
    helmet({ strictTransportSecurity, contentSecurityPolicy: { directives: { upgradeInsecureRequests } } }),
  );
  return (request: Request, response: Response, next: NextFunction): void => {
    for (const [name, value] of DATA.test(request.url) ? ofData : ofPages) response.setHeader(name, value);
    next();
  };
}

/** What a middleware would add to an answer. */
function headersOf(middleware: ReturnType<typeof helmet>): [string, string][] {
  const response = new ServerResponse(new IncomingMessage(new Socket()));
  middleware(response.req, response, (error) => {
    if (error) throw error;
  });
  return Object.entries(response.getHeaders()).map(([name, value]) => [name, String(value)]);
}
