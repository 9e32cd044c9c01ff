import type { Env } from '@app/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import compression from 'compression';
import { type Express, type NextFunction, type Request, type Response, static as files } from 'express';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Output folders of the console and of the guide in `npm run build`. */
const CONSOLE_FOLDER = fileURLToPath(new URL('../../../../console/', import.meta.url));
const GUIDE_FOLDER = fileURLToPath(new URL('../../../../guide/', import.meta.url));

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
  app.use(
    '/console',
    asFolder('console'),
    withPolicy,
    compression(),
    files(CONSOLE_FOLDER, { redirect: false, index: 'index.html', setHeaders: revalidate }),
  );
}

/**
 * Serves the guide, the pages of docs, at /guide/: static files, and a page of its own for addresses that do not exist. Nothing when it is not
 * built.
 */
export function serveGuide(app: NestExpressApplication): void {
  const missing = join(GUIDE_FOLDER, '404.html');
  if (!existsSync(missing)) return;
  const page = readFileSync(missing, 'utf8');
  app.use(
    '/guide',
    asFolder('guide'),
    withPolicy,
    compression(),
    // It also has text of files whose names begin with a dot.
    files(GUIDE_FOLDER, { redirect: false, extensions: ['html'], dotfiles: 'allow', setHeaders: revalidate }),
    ({ method, path }: Request, response: Response, next: NextFunction) => {
      if (method !== 'GET' && method !== 'HEAD') return next();
      const root = '../'.repeat(path.split('/').length - 2) || './';
      response.status(404).type('html').send(page.replaceAll('{{root}}', root));
    },
  );
}

/** Output folder of the widget in `npm run build`, and the addresses of its files. */
const WIDGET_FOLDER = fileURLToPath(new URL('../../../../widget/', import.meta.url));
const WIDGET_SCRIPTS = ['/widget.js', '/call-worklet.js', '/talk.js'];
/** A new release reaches the pages of others within five minutes. */
const SCRIPT_CACHE = 'public, max-age=300, stale-while-revalidate=86400';
/** The page /talk has no style sheet of its own: its script applies one. Its icon is an empty data URL. */
const TALK_POLICY = POLICY.replace("img-src 'self'", 'img-src data:');

/**
 * Serves the widget, /widget.js, which pages of any origin may load, and the page /talk, which begins the call of the link that opened it.
 * Both use /call-worklet.js, the code of the audio thread.
 */
export function serveWidget(app: NestExpressApplication): void {
  const express: Express = app.getHttpAdapter().getInstance();
  const setHeaders = (response: { setHeader(name: string, value: string): unknown }): void => {
    response.setHeader('Cache-Control', SCRIPT_CACHE);
    // Browsers load worklets, and scripts with `integrity`, in the CORS mode; helmet's default for the other header is same-origin.
    response.setHeader('Access-Control-Allow-Origin', '*');
    response.setHeader('Cross-Origin-Resource-Policy', 'cross-origin');
  };
  // With an ETag, which `sendFile` does not send: responses of the API have none.
  express.get(WIDGET_SCRIPTS, compression(), files(WIDGET_FOLDER, { index: false, cacheControl: false, setHeaders }));
  express.get('/talk', ({ path }, response) => {
    // The URL of its script is relative, for reverse proxies with a path prefix.
    if (path.endsWith('/')) return response.redirect(308, '../talk');
    response.setHeader('Content-Security-Policy', TALK_POLICY);
    response.setHeader('Permissions-Policy', 'microphone=(self)');
    revalidate(response);
    response.sendFile(join(WIDGET_FOLDER, 'talk.html'), { cacheControl: false });
  });
}

/** The URLs of a page are relative and need the trailing slash. The redirect is relative for reverse proxies with a path prefix. */
function asFolder(name: string) {
  const withoutSlash = new RegExp(`^[^?]*/${name}(?:\\?|$)`, 'i');
  return ({ originalUrl }: Request, response: Response, next: NextFunction): void => {
    if (withoutSlash.test(originalUrl)) response.redirect(308, `${name}/`);
    else next();
  };
}

function withPolicy(_request: Request, response: Response, next: NextFunction): void {
  response.setHeader('Content-Security-Policy', POLICY);
  next();
}

/** The browser revalidates each file, so a new release is loaded at the next visit. */
function revalidate(response: { setHeader(name: string, value: string): unknown }): void {
  response.setHeader('Cache-Control', 'no-cache');
}

/** Redirects `/` to the console, or to Swagger UI when the console is off. */
export function redirectRoot(app: NestExpressApplication, { CONSOLE, DOCS }: Pick<Env, 'CONSOLE' | 'DOCS'>): void {
  const page = CONSOLE ? 'console/' : DOCS ? 'docs' : undefined;
  if (page === undefined) return;
  const express: Express = app.getHttpAdapter().getInstance();
  // Relative, for reverse proxies with a path prefix.
  express.get('/', (_request, response) => response.redirect(302, page));
}

const VIEWPORT = '<meta name="viewport" content="width=device-width, initial-scale=1">';

/** Small screens: tag descriptions move below their tags, and the links column, which is always empty, is hidden. */
const STYLES = `@media (max-width: 640px) {
  .swagger-ui .opblock-tag { flex-wrap: wrap; }
  .swagger-ui .opblock-tag small { order: 1; flex: 0 0 100%; padding: 0; }
  .swagger-ui .response-col_links { display: none; }
}`;

/** Serves Swagger UI at /docs with all tags collapsed, and the document at /openapi.json; both compressed. */
export function serveSwaggerUi(app: NestExpressApplication, document: () => OpenAPIObject): void {
  app.use(['/docs', '/openapi.json', '/openapi.yaml'], compression());
  app.use('/docs', withViewport);
  SwaggerModule.setup('docs', app, document, {
    jsonDocumentUrl: 'openapi.json',
    yamlDocumentUrl: 'openapi.yaml',
    customSiteTitle: 'Trunkline API',
    customCss: STYLES,
    swaggerOptions: {
      persistAuthorization: true,
      displayRequestDuration: true,
      docExpansion: 'none',
      filter: true,
      plugins: [withoutEarlyResolution],
    },
  });
}

type RequestSubtree = (path: string[]) => unknown;

/**
 * A plugin of Swagger UI. Its source text is part of the page, so it must not refer to anything outside of it. Swagger UI resolves the
 * references of the security schemes before it shows a document, and of an OpenAPI 3.1 document it then resolves all references, which
 * takes most of the time to load. Our security schemes contain no references; the operations are resolved when they are opened.
 */
const withoutEarlyResolution = () => ({
  statePlugins: {
    spec: {
      wrapActions: {
        requestResolvedSubtree: (request: RequestSubtree) => (path: string[]) =>
          path.join('.') === 'components.securitySchemes' ? undefined : request(path),
      },
    },
  },
});

/** The page of @nestjs/swagger has no viewport, so phones show it at desktop width. No option adds one. */
function withViewport(_request: Request, response: Response, next: NextFunction): void {
  const send = response.send.bind(response);
  response.send = (body: unknown) =>
    send(isPage(response, body) ? body.replace('<head>', `<head>\n  ${VIEWPORT}`) : body);
  next();
}

const isPage = (response: Response, body: unknown): body is string =>
  typeof body === 'string' && String(response.get('content-type')).startsWith('text/html');
