import 'reflect-metadata';
import { createLog, endOnSignal, loadEnv, startHealthServer } from '@app/common';
import { NestFactory } from '@nestjs/core';
import { openWorker } from './open-worker.js';
import { WorkerModule } from './worker.module.js';

const env = loadEnv();
const log = createLog({ level: env.LOG_LEVEL, role: 'worker' });

/** Attempts under way get 9 s of it (see open-worker). */
const CLOSING_MS = 15_000;

async function main(): Promise<void> {
  let stopping = false;
  const opened = await openWorker(env, log);
  const app = await NestFactory.createApplicationContext(WorkerModule.forWorker(env, log, opened.dispatcher), {
    logger: false,
  });
  const reasons = async () => (stopping ? ['stopping'] : opened.reasonsNotReady());
  const health = env.HEALTH_PORT === undefined ? undefined : await startHealthServer(env.HEALTH_PORT, reasons);
  endOnSignal({
    log,
    limitMs: () => CLOSING_MS,
    close: async () => {
      stopping = true;
      await opened.close();
      await app.close();
      await health?.close();
    },
  });

  opened.dispatcher.start();
  log.info('worker is ready');
  process.send?.({ type: 'ready', role: 'worker' });
}

main().catch((err: unknown) => {
  log.fatal({ err }, 'worker could not start');
  process.exit(1);
});
