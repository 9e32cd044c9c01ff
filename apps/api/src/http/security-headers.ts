import type { Env } from '@app/common';
import type { NextFunction, Request, Response } from 'express';
import helmet from 'helmet';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';

/**
 * Helmet's headers, which are the same for every answer: it is asked once, not eleven functions per request. CORS stays closed:
 * no header of it is ever sent. Over plain HTTP a browser must not be told to insist on HTTPS.
 */
export function securityHeaders({ PUBLIC_URL }: Env) {
  const https = PUBLIC_URL?.startsWith('https://') ?? false;
  const headers = headersOf(
    helmet({
      strictTransportSecurity: https,
      contentSecurityPolicy: { directives: { upgradeInsecureRequests: https ? [] : null } },
    }),
  );
  return (_request: Request, response: Response, next: NextFunction): void => {
    for (const [name, value] of headers) response.setHeader(name, value);
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
