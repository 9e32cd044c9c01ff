import 'reflect-metadata';
import { createLog, loadEnv, startHealthServer } from '@app/common';
import { NestFactory } from '@nestjs/core';
import { openWorker } from './open-worker.js';
import { WorkerModule } from './worker.module.js';

const env = loadEnv();
const log = createLog({ level: env.LOG_LEVEL, role: 'worker' });

async function main(): Promise<void> {
  let stopping = false;
  const opened = await openWorker(env, log);
  const app = await NestFactory.createApplicationContext(WorkerModule.forWorker(env, log, opened.dispatcher), {
    logger: false,
  });
  const health =
    env.HEALTH_PORT === undefined
      ? undefined
      : await startHealthServer(env.HEALTH_PORT, async () => (stopping ? ['stopping'] : opened.reasonsNotReady()));

  const stop = (signal: string): void => {
    if (stopping) return;
    stopping = true;
    log.info({ signal }, 'worker stops');
    opened
      .close()
      .then(() => app.close())
      .then(() => health?.close())
      .then(() => process.exit(0))
      .catch((err: unknown) => {
        log.error({ err }, 'worker did not stop cleanly');
        process.exit(1);
      });
  };
  process.once('SIGTERM', () => stop('SIGTERM'));
  process.once('SIGINT', () => stop('SIGINT'));
  process.once('disconnect', () => stop('disconnect'));

  opened.dispatcher.start();
  log.info('worker is ready');
  process.send?.({ type: 'ready', role: 'worker' });
}

main().catch((err: unknown) => {
  log.fatal({ err }, 'worker could not start');
  process.exit(1);
});
