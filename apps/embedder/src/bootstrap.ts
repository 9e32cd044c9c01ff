import 'reflect-metadata';
import { bySetting, createLog, endOnSignal, type Env, isInsideAddress, leaveProcess, loadEnv } from '@app/common';
import { REQUEST_LIMITS } from '@app/knowledge/embedding-models';
import { type HealthServer, startHealthServer, warnOfMistypedNames } from '@app/metrics';
import { NestFactory } from '@nestjs/core';
import { ExpressAdapter, type NestExpressApplication } from '@nestjs/platform-express';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { EmbedderModule } from './embedder.module.js';
import { EmbeddingModelService } from './embedding-model.service.js';

const env = loadEnv(process.env, 'embedder');
const log = createLog({ level: env.LOG_LEVEL, role: 'embedder' });

const CLOSING_MS = 5_000;
/** Longer than clients keep a connection without a request: a question need not open one. */
const KEEP_ALIVE_MS = 90_000;

async function main(): Promise<void> {
  let app: NestExpressApplication | undefined;
  let health: HealthServer | undefined;
  let stopping = false;
  endOnSignal({
    log,
    limitMs: () => CLOSING_MS,
    close: async () => {
      stopping = true;
      serverOf(app)?.closeAllConnections();
      await app?.close();
      await health?.close();
    },
  });
  warnOfMistypedNames(log);
  app = await NestFactory.create<NestExpressApplication>(EmbedderModule.forRoot(env, log), new ExpressAdapter(), {
    logger: false,
    abortOnError: false,
    bodyParser: false,
  });
  app.disable('x-powered-by');
  app.useBodyParser('json', { limit: REQUEST_LIMITS.bodyBytes });
  const model = app.get(EmbeddingModelService);
  if (env.HEALTH_PORT !== undefined) {
    health = await startHealthServer({
      port: env.HEALTH_PORT,
      host: env.HOST,
      role: 'embedder',
      reasons: async () => (stopping ? ['stopping'] : model.reasonsNotReady()),
    });
  }
  const port = await listen(app, env);
  // Ready to be asked: a large model loads longer than a supervisor waits.
  process.send?.({ type: 'ready', role: 'embedder', port });
  await model.load();
  log.info({ port }, 'embedder is ready');
  // A supervisor starts the process again.
  throw await model.failure();
}

const serverOf = (app: NestExpressApplication | undefined): Server | undefined => app?.getHttpServer();

async function listen(app: NestExpressApplication, { EMBEDDER_HOST, EMBEDDER_PORT }: Env): Promise<number> {
  try {
    await app.listen(EMBEDDER_PORT, EMBEDDER_HOST);
  } catch (error) {
    throw bySetting(error, { EMBEDDER_PORT });
  }
  const server = serverOf(app)!;
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  const { address, port } = server.address() as AddressInfo;
  if (!isInsideAddress(address))
    log.warn({ address }, 'the embedder listens on a public address and answers anyone; set EMBEDDER_HOST');
  return port;
}

main().catch((err: unknown) => {
  log.error({ err }, 'the embedder ends');
  leaveProcess(1);
});
