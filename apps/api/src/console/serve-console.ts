import type { NestExpressApplication } from '@nestjs/platform-express';
import { static as files, type NextFunction, type Request, type Response } from 'express';
import { fileURLToPath } from 'node:url';

/** Where `npm run build` puts the bundled page: beside the compiled processes. */
const FOLDER = fileURLToPath(new URL('../../../console/', import.meta.url));

/**
 * Nothing but what the page is made of, from here: no inline script or style, no other host, not in a frame. Stricter than the
 * policy of the rest, where Swagger UI needs more.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "media-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The page for people at /console/: static files that use the public API with the token of whoever sits there. */
export function serveConsole(app: NestExpressApplication): void {
  app.use('/console', strictly, files(FOLDER, { redirect: false, index: 'index.html', setHeaders: fresh }));
}

/** Its addresses are relative, so it needs the slash; so does the redirect, for a proxy may have put a path before ours. */
function strictly(request: Request, response: Response, next: NextFunction): void {
  if (/^[^?]*\/console(?:\?|$)/.test(request.originalUrl)) return response.redirect(308, 'console/');
  response.setHeader('Content-Security-Policy', POLICY);
  next();
}

/** A browser asks whether it changed: a new release is seen at the next visit. */
function fresh(response: { setHeader(name: string, value: string): unknown }): void {
  response.setHeader('Cache-Control', 'no-cache');
}
