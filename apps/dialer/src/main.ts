import 'reflect-metadata';
import { createLog, endOnSignal, loadEnv, startHealthServer, type StopReason } from '@app/common';
import { WakeUps } from '@app/queue';
import { NestFactory } from '@nestjs/core';
import { DialerModule } from './dialer.module.js';
import { openDialer } from './open-dialer.js';

const env = loadEnv();
const log = createLog({ level: env.LOG_LEVEL, role: 'dialer' });

/** Exit code when this dialer's calls were given to others: a supervisor starts it again, with a new id. */
const LOST = 75;
const CLOSING_MS = 10_000;

/** A supervisor that is gone cannot wait for us; whoever else asked lets the calls end. */
const graceMs = (reason: StopReason): number =>
  reason === 'disconnect' || reason === 'lost' ? 0 : env.DRAIN_SECONDS * 1_000;

async function main(): Promise<void> {
  let wakeUps: WakeUps | undefined;
  let stopping = false;
  const opened = await openDialer(env, log, {
    onLost: () => end('lost', LOST),
    wakeWebhooks: () => wakeUps?.wake('webhooks'),
  });
  const app = await NestFactory.createApplicationContext(DialerModule.forDialer(env, log, opened.dialer), {
    logger: false,
  });
  wakeUps = app.get(WakeUps);
  const reasons = async () => (stopping ? ['draining'] : opened.reasonsNotReady());
  const health = env.HEALTH_PORT === undefined ? undefined : await startHealthServer(env.HEALTH_PORT, reasons);
  const end = endOnSignal({
    log,
    limitMs: (reason) => graceMs(reason) + CLOSING_MS,
    close: async (reason) => {
      stopping = true;
      await opened.close(graceMs(reason));
      await app.close();
      await health?.close();
    },
  });

  await opened.dialer.start();
  log.info({ dialer: opened.dialer.id, sip_port: opened.sipPort }, 'dialer is ready');
  process.send?.({ type: 'ready', role: 'dialer', sip_port: opened.sipPort });
}

main().catch((err: unknown) => {
  log.fatal({ err }, 'dialer could not start');
  process.exit(1);
});
