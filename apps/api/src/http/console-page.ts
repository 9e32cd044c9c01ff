import type { NestExpressApplication } from '@nestjs/platform-express';
import { static as files, type NextFunction, type Request, type Response } from 'express';
import { fileURLToPath } from 'node:url';

/** Where `npm run build` puts the bundled page: beside the compiled processes. */
const FOLDER = fileURLToPath(new URL('../../../console/', import.meta.url));

/**
 * Allows only the page's own files: no inline script or style, no other host, no frame. Stricter than the policy of the other pages,
 * because Swagger UI needs more.
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

/** Serves the console at /console/: static files that call the public API with the user's token. */
export function serveConsole(app: NestExpressApplication): void {
  app.use('/console', withPolicy, files(FOLDER, { redirect: false, index: 'index.html', setHeaders: revalidate }));
}

/** The page's URLs are relative and need the trailing slash. The redirect is relative for reverse proxies with a path prefix. */
function withPolicy(request: Request, response: Response, next: NextFunction): void {
  if (/^[^?]*\/console(?:\?|$)/.test(request.originalUrl)) return response.redirect(308, 'console/');
  response.setHeader('Content-Security-Policy', POLICY);
  next();
}

/** The browser revalidates each file, so a new release is loaded at the next visit. */
function revalidate(response: { setHeader(name: string, value: string): unknown }): void {
  response.setHeader('Cache-Control', 'no-cache');
}
