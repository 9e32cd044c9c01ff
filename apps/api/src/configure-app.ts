import { WebKeysService } from '@app/calls';
import type { Env, Log } from '@app/common';
import type { LoggerService } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { ApiModule } from './api.module.js';
import { closeAbandonedBody } from './http/server/body.guard.js';
import { redirectRoot, serveConsole, serveGuide, serveSwaggerUi, serveWidget } from './http/server/browser-pages.js';
import { DOCS_SETTING } from './http/responses/errors.filter.js';
import { handleClientErrors, limitServer, PrototypedExpressAdapter } from './http/server/http-server.js';
import { requestLog } from './http/server/request-log.js';
import { handleOptions } from './http/server/routes.js';
import { corsHeaders, securityHeaders } from './http/server/security-headers.js';
import { validationPipe } from './http/validation/validation.js';
import { webCallCors } from './web-calls/web-call-cors.js';
import { openApiDocument } from './openapi-document.js';

/** Creates the application for production and tests. `preview`: for the OpenAPI document only; opens no resources. */
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
  const webCalls = webCallCors(() => app.get(WebKeysService, { strict: false }));
  app.use(requestLog(log), securityHeaders(env), corsHeaders(env), webCalls, handleOptions, closeAbandonedBody);
  // Express compiles `trust proxy` to this function; hop 0 is the connection.
  const trusts = app.getHttpAdapter().getInstance().get('trust proxy fn') as (address: string, hop: number) => boolean;
  limitServer(app.getHttpServer(), env, (address) => trusts(address, 0));
  handleClientErrors(app.getHttpServer());
  app.useGlobalPipes(validationPipe());
  redirectRoot(app, env);
  serveWidget(app);
  if (env.CONSOLE) serveConsole(app);
  if (!env.DOCS) return;
  serveGuide(app);
  serveSwaggerUi(app, () => openApiDocument(app, env));
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
