import 'reflect-metadata';
import { createLog, endOnSignal, leaveProcess, loadEnv, startTracing, type Tracing } from '@app/common';
import { Database } from '@app/database';
import { type HealthServer, startHealthServer, warnOfMistypedNames } from '@app/metrics';
import { openQueues } from '@app/queue';
import { OWNER } from '@app/common/settings';
import { checkStorage } from '@app/storage';
import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { WorkerModule } from './worker.module.js';

const env = loadEnv(process.env, 'worker');
const log = createLog({ level: env.LOG_LEVEL, role: 'worker' });

/** Running attempts get 9 s of it (see WorkerModule). */
const CLOSING_MS = 15_000;

async function main(): Promise<void> {
  let app: INestApplicationContext | undefined;
  let health: HealthServer | undefined;
  let tracing: Tracing | undefined;
  let stopping = false;
  endOnSignal({
    log,
    limitMs: () => CLOSING_MS,
    close: async () => {
      stopping = true;
      await app?.close();
      await health?.close();
      await tracing?.stop();
    },
  });
  warnOfMistypedNames(log);
  checkStorage(env, log);
  tracing = await startTracing(env, 'worker', log);

  app = await NestFactory.createApplicationContext(WorkerModule.forRoot(env, log), {
    logger: false,
    abortOnError: false,
  });
  const database = app.get(Database);
  await openQueues(app, { role: 'worker', env, log });
  if (env.HEALTH_PORT !== undefined) {
    health = await startHealthServer({
      port: env.HEALTH_PORT,
      host: env.HOST,
      role: 'worker',
      reasons: async () => (stopping ? ['stopping'] : database.reasonsNotReady()),
    });
  }
  log.info('worker is ready');
  process.send?.({ type: 'ready', role: 'worker', owner: app.get<string>(OWNER) });
}

main().catch((err: unknown) => {
  log.error({ err }, 'worker could not start');
  leaveProcess(1);
});
