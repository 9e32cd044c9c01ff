import type { NextFunction, Request, Response } from 'express';

/** The template of the request's route. */
export function routeOf(request: Request): string {
  const route = request.route as { path?: unknown } | undefined;
  return typeof route?.path === 'string' ? route.path : 'unmatched';
}

/** The part of a router layer that the types of Express do not declare. */
interface RouteLayer {
  route?: { methods: Record<string, boolean> };
  match(path: string): boolean;
}

/** The methods of a path, for the Allow header (RFC 9110 §10.2.1); empty when no route has the path. */
export function allowedMethods({ app, path }: Request): string[] {
  const layers = app.router.stack as unknown as RouteLayer[];
  const taken = layers.flatMap((layer) => (layer.route && layer.match(path) ? Object.keys(layer.route.methods) : []));
  const methods = new Set(taken.map((method) => method.toUpperCase()));
  if (methods.has('GET')) methods.add('HEAD');
  return [...methods].toSorted();
}

/** Responds to OPTIONS with the methods of the path. An unknown path returns 404 as for every other method. */
export function handleOptions(request: Request, response: Response, next: NextFunction): void {
  const methods = request.method === 'OPTIONS' ? allowedMethods(request) : [];
  if (methods.length === 0) return next();
  response.setHeader('Allow', methods.join(', '));
  response.status(204).end();
}
