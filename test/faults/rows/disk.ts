import { setTimeout as delay } from 'node:timers/promises';
import { RestartablePostgres } from '../../support/restartable-postgres.js';
import { Tmpfs } from '../../support/tmpfs.js';
import { FaultEnvironment } from '../fault-environment.js';
import type { Findings, Row } from '../row.js';
import { IN_FLIGHT } from './workers.js';

/** An empty cluster takes 40 MB; its write-ahead log grows by 16. */
const DATABASE_MB = 160;
const FULL_MS = 90_000;
const HEALED_MS = 30_000;

/** Fills the disk of the database for a while. */
async function database(): Promise<Findings> {
  const disk = Tmpfs.mount(DATABASE_MB);
  try {
    const postgres = await RestartablePostgres.start({ durable: true, folder: disk.place('postgres') });
    return await FaultEnvironment.with({ database: postgres, apis: 1 }, async (environment) => {
      environment.begin();
      const calls = await environment.beginCalls({ perRequest: 20 });
      await environment.sink.more(50);
      disk.fill();
      await until(() => calls.refusals.includes(503), FULL_MS, 'the api never answered 503');
      const refused = calls.refusals.filter((status) => ![503, 429].includes(status));
      disk.free();
      const began = performance.now();
      const restarted = await startedAgain(postgres);
      await until(() => calls.lastCreatedAt > began, HEALED_MS, 'the api did not accept calls again');
      const healed = `${restarted ? 'PostgreSQL had ended and was restarted; ' : ''}healed in ${((performance.now() - began) / 1_000).toFixed(1)} s`;
      return environment.findings(
        refused.map((status) => `the api answered ${status}`),
        healed,
      );
    });
  } finally {
    disk.unmount();
  }
}

/** PostgreSQL exits when it cannot write its log; a supervisor restarts it. */
async function startedAgain(postgres: RestartablePostgres): Promise<boolean> {
  const ended = await Promise.race([postgres.ended.then(() => true), delay(1_000, false)]);
  if (ended) await postgres.startAgain();
  return ended;
}

async function until(isSo: () => boolean, ms: number, otherwise: string): Promise<void> {
  const deadline = performance.now() + ms;
  while (!isSo()) {
    if (performance.now() > deadline) throw new Error(otherwise);
    await delay(50);
  }
}

export const DISK: Row[] = [
  {
    name: 'disk-full-database',
    fault: 'full disk of the database (tmpfs)',
    times: 1,
    bar: () => ({ duplicates: 2 * IN_FLIGHT, also: '503 meanwhile, heals by itself' }),
    skip: () => Tmpfs.missing(),
    run: database,
  },
];
