import 'reflect-metadata';
import { createLog, loadEnv, startHealthServer } from '@app/common';
import { WakeUps } from '@app/queue';
import { NestFactory } from '@nestjs/core';
import { DialerModule } from './dialer.module.js';
import { openDialer } from './open-dialer.js';

const env = loadEnv();
const log = createLog({ level: env.LOG_LEVEL, role: 'dialer' });

/** Exit code when this dialer's calls were given to others: a supervisor starts it again, with a new id. */
const LOST = 75;

async function main(): Promise<void> {
  let stopping = false;
  let wakeUps: WakeUps | undefined;
  const opened = await openDialer(env, log, {
    onLost: () => stop('lost', LOST),
    wakeWebhooks: () => wakeUps?.wake('webhooks'),
  });
  const app = await NestFactory.createApplicationContext(DialerModule.forDialer(env, log, opened.dialer), {
    logger: false,
  });
  wakeUps = app.get(WakeUps);
  const health =
    env.HEALTH_PORT === undefined
      ? undefined
      : await startHealthServer(env.HEALTH_PORT, async () => (stopping ? ['draining'] : opened.reasonsNotReady()));

  function stop(signal: string, code = 0): void {
    if (stopping) return;
    stopping = true;
    log.info({ signal, live_calls: opened.dialer.liveCalls }, 'dialer drains');
    // A supervisor that is gone cannot wait for us; whoever else asked gets its calls ended in time.
    const grace = signal === 'disconnect' || signal === 'lost' ? 0 : env.DRAIN_SECONDS;
    opened
      .close(grace * 1_000)
      .then(() => app.close())
      .then(() => health?.close())
      .then(() => process.exit(code))
      .catch((err: unknown) => {
        log.error({ err }, 'dialer did not stop cleanly');
        process.exit(1);
      });
  }
  process.once('SIGTERM', () => stop('SIGTERM'));
  process.once('SIGINT', () => stop('SIGINT'));
  process.once('disconnect', () => stop('disconnect'));

  await opened.dialer.start();
  log.info({ dialer: opened.dialer.id, sip_port: opened.sipPort }, 'dialer is ready');
  process.send?.({ type: 'ready', role: 'dialer', sip_port: opened.sipPort });
}

main().catch((err: unknown) => {
  log.fatal({ err }, 'dialer could not start');
  process.exitCode = 1;
  process.disconnect?.();
});
