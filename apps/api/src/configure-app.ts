import type { Env, Log } from '@app/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { ApiModule } from './api.module.js';
import { answerOptions } from './http/allowed-methods.js';
import { answerRefused } from './http/answer-refused.js';
import { crossOrigin } from './http/cross-origin.js';
import { serveConsole } from './console/serve-console.js';
import { DOCS_SETTING } from './http/errors.filter.js';
import { serveFrontDoor } from './http/front-door.js';
import { PrototypedExpressAdapter } from './http/express.adapter.js';
import { requestLog } from './http/request-log.js';
import { securityHeaders } from './http/security-headers.js';
import { limitServer } from './http/server-limits.js';
import { stopWhenAnswered } from './http/stop-when-answered.js';
import { validationPipe } from './http/validation.js';
import { NestLog } from './nest-log.js';
import { openApiDocument } from './openapi-document.js';
import { serveDocs } from './swagger-ui.js';

/** The application as it runs in production, tests and for the OpenAPI document (`preview`: nothing is opened). */
export async function createApp(env: Env, log: Log, { preview = false } = {}): Promise<NestExpressApplication> {
  const app = await NestFactory.create<NestExpressApplication>(
    ApiModule.forRoot(env, log),
    new PrototypedExpressAdapter(),
    { preview, bodyParser: false, logger: new NestLog(log), abortOnError: false },
  );
  configureApp(app, env, log);
  return app;
}

/** Middleware around every route: request ids and log, headers, bodies, validation, documentation. */
export function configureApp(app: NestExpressApplication, env: Env, log: Log): void {
  app.disable('etag');
  app.disable('x-powered-by');
  app.set('trust proxy', env.TRUST_PROXY ?? false);
  app.set('query parser', 'simple');
  app.set(DOCS_SETTING, env.DOCS);
  app.use(requestLog(log), securityHeaders(env), crossOrigin(env), answerOptions, stopWhenAnswered);
  // Express makes this of `trust proxy`; the connection itself is hop 0.
  const trusts = app.getHttpAdapter().getInstance().get('trust proxy fn') as (address: string, hop: number) => boolean;
  limitServer(app.getHttpServer(), env, (address) => trusts(address, 0));
  answerRefused(app.getHttpServer());
  app.useGlobalPipes(validationPipe());
  serveFrontDoor(app, env);
  if (env.CONSOLE) serveConsole(app);
  if (env.DOCS) serveDocs(app, () => openApiDocument(app, env));
}
