import type { WebKeysService } from '@app/calls';
import type { NextFunction, Request, Response } from 'express';

const PATH = /^\/api\/v1\/web-calls\/?(?:\?|$)/i;

/**
 * Lets pages of the origins of web keys create web calls. The key of a request is checked where it is handled: browsers ask for permission
 * without it. Other routes are open to the origins of CORS_ORIGINS only.
 */
export function webCallCors(keys: () => Pick<WebKeysService, 'mayAsk'>) {
  return (request: Request, response: Response, next: NextFunction): void => {
    const { origin } = request.headers;
    if (origin === undefined || !PATH.test(request.url)) return next();
    response.vary('Origin');
    void admit(keys(), { request, response, origin }, next);
  };
}

/** Never rejects. */
async function admit(
  keys: Pick<WebKeysService, 'mayAsk'>,
  { request, response, origin }: { request: Request; response: Response; origin: string },
  next: NextFunction,
): Promise<void> {
  let isKnown: boolean;
  try {
    isKnown = await keys.mayAsk(origin);
  } catch (error) {
    return next(error);
  }
  if (isKnown) allow(request, response, origin, next);
  else next();
}

function allow(request: Request, response: Response, origin: string, next: NextFunction): void {
  response.setHeader('Access-Control-Allow-Origin', origin);
  response.setHeader('Access-Control-Expose-Headers', 'X-Request-Id, Retry-After');
  // Helmet's default, same-origin, would block these pages.
  response.setHeader('Cross-Origin-Resource-Policy', 'cross-origin');
  if (request.method !== 'OPTIONS' || request.headers['access-control-request-method'] === undefined) return next();
  response.setHeader('Access-Control-Allow-Methods', 'POST');
  response.setHeader('Access-Control-Allow-Headers', 'Authorization, Content-Type');
  response.setHeader('Access-Control-Max-Age', '600');
  response.status(204).end();
}
