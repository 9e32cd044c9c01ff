import { setTimeout as delay } from 'node:timers/promises';
import type { TestDatabase } from '../../support/database.js';
import { createTestDatabase } from '../../support/database.js';
import { eventually } from '../../support/eventually.js';
import { RestartablePostgres } from '../../support/restartable-postgres.js';
import { TcpProxy } from '../../support/tcp-proxy.js';
import { Ground } from '../ground.js';
import type { Findings, Row, Scale } from '../row.js';
import { IN_FLIGHT } from './workers.js';

const WORKERS = 2;
/** From when the database lets people in again. */
const BACK_MS = 10_000;
const STALL_MS = 4_000;
/** Our statements are given up after 35 s without an answer, a lease after 30 s. */
const VANISHED_BACK_MS = 60_000;

/** How long until webhooks that were committed from now on arrive, and the api, where there is one, takes calls. */
async function backAfter(ground: Ground, calls?: { lastCreatedAt: number }): Promise<number> {
  const began = performance.now();
  const since = new Date().toISOString();
  const isNew = async (id: string): Promise<boolean> => {
    const found = await ground.pool.query('SELECT FROM webhook_deliveries WHERE id = $1 AND created_at > $2', [
      id,
      since,
    ]);
    return found.rowCount === 1;
  };
  for (let looked = ground.sink.arrivals.length; ; looked++) {
    await ground.sink.until(() => ground.sink.arrivals.length > looked, 90_000);
    if (await isNew(ground.sink.arrivals[looked]!.id)) break;
  }
  if (calls)
    await eventually(
      () => calls.lastCreatedAt,
      (at) => at > began,
      90_000,
    );
  return performance.now() - began;
}

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;

async function crashed({ times }: Scale): Promise<Findings> {
  const database = await RestartablePostgres.start({ durable: true });
  return Ground.with({ database, apis: 1, workers: WORKERS }, async (ground) => {
    ground.begin();
    const calls = await ground.beginCalls();
    let slowest = 0;
    for (let n = 0; n < times; n++) {
      await ground.sink.more(100);
      await database.crash();
      await database.startAgain();
      slowest = Math.max(slowest, await backAfter(ground, calls));
    }
    const missed = slowest > BACK_MS ? [`back after ${seconds(slowest)}`] : [];
    return ground.findings(
      [...missed, ...refusalsOtherThan(calls.refusals, [503, 0])],
      `back within ${seconds(slowest)}`,
    );
  });
}

const refusalsOtherThan = (seen: number[], wanted: number[]): string[] =>
  seen.filter((status) => !wanted.includes(status)).map((status) => `the api answered ${status}`);

/** The service sees its database through a proxy; the load does not. */
async function throughProxy(
  options: { apis?: number },
  work: (ground: Ground, proxy: TcpProxy) => Promise<Findings>,
): Promise<Findings> {
  const behind = await createTestDatabase();
  const proxy = await TcpProxy.before(Number(new URL(behind.url).port));
  const url = new URL(behind.url);
  url.port = String(proxy.port);
  const drop = async (): Promise<void> => {
    await behind.drop();
    await proxy.close();
  };
  const database: TestDatabase = { url: url.href, drop };
  return Ground.with({ database, directUrl: behind.url, workers: WORKERS, ...options }, (ground) =>
    work(ground, proxy),
  );
}

const stalled = ({ times }: Scale): Promise<Findings> =>
  throughProxy({}, async (ground, proxy) => {
    ground.begin();
    let slowest = 0;
    for (let n = 0; n < times; n++) {
      await ground.sink.more(100);
      proxy.stall();
      await delay(STALL_MS);
      proxy.resume();
      slowest = Math.max(slowest, await backAfter(ground));
    }
    return ground.findings([], `back within ${seconds(slowest)}`);
  });

const reset = ({ times }: Scale): Promise<Findings> =>
  throughProxy({}, async (ground, proxy) => {
    ground.begin();
    for (let n = 0; n < times; n++) {
      await ground.sink.more(60 + 7 * n);
      proxy.reset();
    }
    return ground.findings();
  });

const slow = (): Promise<Findings> =>
  throughProxy({}, async (ground, proxy) => {
    proxy.latencyMs = 50;
    ground.begin();
    await ground.sink.more(1_000);
    return ground.findings();
  });

const vanished = (): Promise<Findings> =>
  throughProxy({ apis: 1 }, async (ground, proxy) => {
    ground.begin(60);
    const calls = await ground.beginCalls();
    await ground.sink.more(100);
    proxy.vanish();
    const back = await backAfter(ground, calls);
    const missed = back > VANISHED_BACK_MS ? [`back after ${seconds(back)}`] : [];
    return ground.findings(missed, `back after ${seconds(back)}`);
  });

const both = IN_FLIGHT * WORKERS;

export const DATABASE: Row[] = [
  {
    name: 'database-crashed',
    fault: 'PostgreSQL immediate stop under load',
    times: 5,
    bar: (times) => ({ duplicates: both * times, also: 'back within 10 s, 503 meanwhile' }),
    run: crashed,
  },
  {
    name: 'database-stalled',
    fault: 'database unreachable for 4 s (proxy)',
    times: 3,
    bar: (times) => ({ duplicates: IN_FLIGHT * times }),
    run: stalled,
  },
  {
    name: 'database-reset',
    fault: 'all database connections reset (proxy)',
    times: 8,
    bar: (times) => ({ duplicates: IN_FLIGHT * times }),
    run: reset,
  },
  {
    name: 'database-slow',
    fault: '100 ms more to the database and back (proxy)',
    times: 1,
    bar: () => ({ duplicates: 0 }),
    run: slow,
  },
  {
    name: 'database-vanished',
    fault: 'database connections die without a word, new ones work (failover)',
    times: 1,
    bar: () => ({ duplicates: both, also: 'back within 60 s' }),
    run: vanished,
  },
];
