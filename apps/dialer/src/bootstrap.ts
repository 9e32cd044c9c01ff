import 'reflect-metadata';
import {
  bySetting,
  createLog,
  endOnSignal,
  leaveProcess,
  loadEnv,
  startTracing,
  type StopReason,
  type Tracing,
} from '@app/common';
import { Database } from '@app/database';
import { type HealthServer, startHealthServer, warnOfMistypedNames } from '@app/metrics';
import { openQueues } from '@app/queue';
import { checkStorage } from '@app/storage';
import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { CallEngineService } from './trunks/call-engine.service.js';
import { DialerModule } from './dialer.module.js';
import { InternalServerService } from './internal/internal-server.service.js';
import { DialerService } from './dialer.service.js';

const env = loadEnv(process.env, 'dialer');
const log = createLog({ level: env.LOG_LEVEL, role: 'dialer' });

/** Exit code when this dialer's calls were given to others: a supervisor restarts it with a new id. */
const LOST = 75;
const CLOSING_MS = 10_000;

/** Live calls may continue, unless the supervisor is gone or the calls were given to others. */
const graceMs = (reason: StopReason): number =>
  reason === 'disconnect' || reason === 'lost' ? 0 : env.DRAIN_SECONDS * 1_000;

async function closeApp(app: INestApplicationContext, reason: StopReason): Promise<void> {
  app.get(DialerService).graceMs = graceMs(reason);
  await app.close();
  const { stopError } = app.get(DialerModule);
  if (stopError !== undefined) throw stopError;
}

async function main(): Promise<void> {
  let app: INestApplicationContext | undefined;
  let health: HealthServer | undefined;
  let tracing: Tracing | undefined;
  let stopping = false;
  const end = endOnSignal({
    log,
    limitMs: (reason) => graceMs(reason) + CLOSING_MS,
    close: async (reason) => {
      stopping = true;
      if (app) await closeApp(app, reason);
      await health?.close();
      await tracing?.stop();
    },
  });
  warnOfMistypedNames(log);
  checkStorage(env, log);
  tracing = await startTracing(env, 'dialer', log);

  app = await NestFactory.createApplicationContext(DialerModule.forRoot(env, log), {
    logger: false,
    abortOnError: false,
  });
  const dialer = app.get(DialerService);
  dialer.whenLost(() => end('lost', LOST));
  await openQueues(app, { role: 'dialer', env, log });
  const { sipPort } = app.get(CallEngineService);
  const database = app.get(Database);
  if (env.HEALTH_PORT !== undefined) {
    health = await startHealthServer({
      port: env.HEALTH_PORT,
      host: env.HOST,
      role: 'dialer',
      reasons: async () => (stopping ? ['draining'] : database.reasonsNotReady()),
    });
  }
  await dialer.start();
  const { address } = app.get(InternalServerService);
  log.info({ dialer: dialer.id, sip_port: sipPort, internal_address: address }, 'dialer is ready');
  process.send?.({ type: 'ready', role: 'dialer', sip_port: sipPort, owner: dialer.id, internal_address: address });
}

main().catch((error: unknown) => {
  const { SIP_PORT, SIP_TLS_PORT, SIP_TLS_CERT, SIP_TLS_KEY, SIP_TLS_CA } = env;
  const err = bySetting(error, { SIP_PORT, SIP_TLS_PORT, SIP_TLS_CERT, SIP_TLS_KEY, SIP_TLS_CA });
  log.error({ err }, 'dialer could not start');
  leaveProcess(1);
});
