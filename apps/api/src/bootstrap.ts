import 'reflect-metadata';
import {
  bySetting,
  createLog,
  databaseUrl,
  endOnSignal,
  type Env,
  InvalidEnvironment,
  leaveProcess,
  loadEnv,
  MissingSetting,
  secretKey,
  startTracing,
  type Tracing,
  UnusableSetting,
} from '@app/common';
import { type HealthServer, startHealthServer, warnOfMistypedNames } from '@app/metrics';
import { openQueues } from '@app/queue';
import { checkStorage } from '@app/storage';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createApp } from './configure-app.js';
import { ReadinessService } from './health/readiness.service.js';

/** Time for requests in progress to finish before their connections are closed. */
const FINISH_MS = 10_000;
const CLOSING_MS = 7_000;
/** How often idle connections are closed during shutdown. */
const IDLE_MS = 200;

async function main(): Promise<void> {
  const env = loadEnv(process.env, 'api');
  databaseUrl(env);
  secretKey(env);
  const log = createLog({ level: env.LOG_LEVEL, role: 'api' });
  let app: NestExpressApplication | undefined;
  let health: HealthServer | undefined;
  let tracing: Tracing | undefined;
  endOnSignal({
    log,
    limitMs: () => FINISH_MS + CLOSING_MS,
    close: async () => {
      if (app) await finish(app);
      await health?.close();
      await tracing?.stop();
    },
  });
  warnOfMistypedNames(log);
  checkStorage(env, log);
  tracing = await startTracing(env, 'api', log);
  app = await createApp(env, log);
  if (env.HEALTH_PORT !== undefined) health = await startHealth(app, { port: env.HEALTH_PORT, host: env.HOST });
  await openQueues(app, { role: 'api', env, log });
  await listen(app, env);
  const { port } = serverOf(app).address() as AddressInfo;
  log.info({ port }, 'api is ready');
  process.send?.({ type: 'ready', role: 'api', port });
}

async function listen(app: NestExpressApplication, { PORT, HOST }: Env): Promise<void> {
  try {
    await app.listen(PORT, HOST);
  } catch (error) {
    throw bySetting(error, { PORT });
  }
}

const startHealth = (app: NestExpressApplication, at: { port: number; host: string }): Promise<HealthServer> => {
  const readiness = app.get(ReadinessService);
  return startHealthServer({ ...at, role: 'api', reasons: () => readiness.reasons() });
};

const serverOf = (app: NestExpressApplication): Server => app.getHttpServer();

async function finish(app: NestExpressApplication): Promise<void> {
  app.get(ReadinessService).stop();
  const server = serverOf(app);
  // Otherwise `close` waits for keep-alive connections.
  server.prependListener('request', (_request, response: ServerResponse) => (response.shouldKeepAlive = false));
  setInterval(() => server.closeIdleConnections(), IDLE_MS).unref();
  setTimeout(() => server.closeAllConnections(), FINISH_MS).unref();
  await app.close();
}

/** One line for errors that the operator can fix, the whole error otherwise. */
function printable(error: unknown): unknown {
  if (error instanceof InvalidEnvironment || error instanceof MissingSetting || error instanceof UnusableSetting)
    return error.message;
  if ((error as { code?: string }).code === 'ECONNREFUSED')
    return 'The database of DATABASE_URL cannot be reached: the connection was refused.';
  return error;
}

main().catch((error: unknown) => {
  console.error(printable(error));
  leaveProcess(1);
});
