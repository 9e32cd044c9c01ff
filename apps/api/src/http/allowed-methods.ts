import type { NextFunction, Request, Response } from 'express';

/** What Express's types leave out of a route in its router. */
interface RouteLayer {
  route?: { methods: Record<string, boolean> };
  match(path: string): boolean;
}

/** The methods that a path takes, for the Allow header (RFC 9110 §10.2.1); none when there is no such path. */
export function allowedMethods({ app, path }: Request): string[] {
  const layers = app.router.stack as unknown as RouteLayer[];
  const taken = layers.flatMap((layer) => (layer.route && layer.match(path) ? Object.keys(layer.route.methods) : []));
  const methods = new Set(taken.map((method) => method.toUpperCase()));
  if (methods.has('GET')) methods.add('HEAD');
  return [...methods].toSorted();
}

/** OPTIONS says what a path takes; a path that is none is 404 as for every other method. */
export function answerOptions(request: Request, response: Response, next: NextFunction): void {
  const methods = request.method === 'OPTIONS' ? allowedMethods(request) : [];
  if (methods.length === 0) return next();
  response.setHeader('Allow', methods.join(', '));
  response.status(204).end();
}
