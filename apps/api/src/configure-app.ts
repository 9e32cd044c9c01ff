import type { Env, Log } from '@app/common';
import type { LoggerService } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Express } from 'express';
import { ApiModule } from './api.module.js';
import { handleOptions } from './http/allowed-methods.js';
import { handleClientErrors } from './http/client-error-handler.js';
import { serveConsole } from './http/console-page.js';
import { DOCS_SETTING } from './http/errors.filter.js';
import { PrototypedExpressAdapter } from './http/express.adapter.js';
import { closeAbandonedBody } from './http/request-body.js';
import { requestLog } from './http/request-log.js';
import { corsHeaders, securityHeaders } from './http/security-headers.js';
import { limitServer } from './http/server-limits.js';
import { validationPipe } from './http/validation.js';
import { openApiDocument } from './openapi-document.js';
import { serveSwaggerUi } from './swagger-ui.js';

/** The application as it runs in production and in tests. `preview`: only to generate the OpenAPI document, opens nothing. */
export async function createApp(env: Env, log: Log, { preview = false } = {}): Promise<NestExpressApplication> {
  const app = await NestFactory.create<NestExpressApplication>(
    ApiModule.forRoot(env, log),
    new PrototypedExpressAdapter(),
    { preview, bodyParser: false, logger: new NestLog(log), abortOnError: false },
  );
  configureApp(app, env, log);
  return app;
}

/** Configures what applies to all routes: request ids and log, headers, bodies, validation, errors, documentation. */
function configureApp(app: NestExpressApplication, env: Env, log: Log): void {
  app.disable('etag');
  app.disable('x-powered-by');
  app.set('trust proxy', env.TRUST_PROXY ?? false);
  app.set('query parser', 'simple');
  app.set(DOCS_SETTING, env.DOCS);
  app.use(requestLog(log), securityHeaders(env), corsHeaders(env), handleOptions, closeAbandonedBody);
  // Express compiles `trust proxy` to this function; hop 0 is the connection itself.
  const trusts = app.getHttpAdapter().getInstance().get('trust proxy fn') as (address: string, hop: number) => boolean;
  limitServer(app.getHttpServer(), env, (address) => trusts(address, 0));
  handleClientErrors(app.getHttpServer());
  app.useGlobalPipes(validationPipe());
  redirectRoot(app, env);
  if (env.CONSOLE) serveConsole(app);
  if (env.DOCS) serveSwaggerUi(app, () => openApiDocument(app, env));
}

/** Redirects `/` to the console, or to Swagger UI when the console is off. */
function redirectRoot(app: NestExpressApplication, { CONSOLE, DOCS }: Pick<Env, 'CONSOLE' | 'DOCS'>): void {
  const page = CONSOLE ? 'console/' : DOCS ? 'docs' : undefined;
  if (page === undefined) return;
  const express: Express = app.getHttpAdapter().getInstance();
  // Relative: a reverse proxy may serve the API under a path prefix.
  express.get('/', (_request, response) => response.redirect(302, page));
}

/** Writes messages of Nest to the log of the process, informational ones at `debug`. */
class NestLog implements LoggerService {
  constructor(private readonly target: Log) {}

  log(message: unknown, ...rest: unknown[]): void {
    this.target.debug({ detail: [message, ...rest] }, 'framework');
  }

  warn(message: unknown, ...rest: unknown[]): void {
    this.target.warn({ detail: [message, ...rest] }, 'framework warning');
  }

  error(message: unknown, ...rest: unknown[]): void {
    this.target.error({ detail: [message, ...rest] }, 'framework error');
  }
}
