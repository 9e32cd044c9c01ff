import { setTimeout as delay } from 'node:timers/promises';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { eventually } from '../../support/eventually.js';
import { RestartablePostgres } from '../../support/restartable-postgres.js';
import { TcpProxy } from '../../support/tcp-proxy.js';
import { FaultEnvironment } from '../fault-environment.js';
import type { Findings, Row, Scale } from '../row.js';
import { IN_FLIGHT } from './workers.js';

const WORKERS = 2;
/** Limit since the database accepts connections again. */
const BACK_MS = 10_000;
const STALL_MS = 4_000;
/** Statements time out after 35 s without a response, leases after 30 s. */
const VANISHED_BACK_MS = 60_000;

/** Time until new webhooks arrive and the api, if one runs, accepts calls. */
async function backAfter(environment: FaultEnvironment, calls?: { lastCreatedAt: number }): Promise<number> {
  const began = performance.now();
  const since = new Date().toISOString();
  const isNew = async (id: string): Promise<boolean> => {
    const found = await environment.pool.query('SELECT FROM webhook_deliveries WHERE id = $1 AND created_at > $2', [
      id,
      since,
    ]);
    return found.rowCount === 1;
  };
  for (let looked = environment.sink.arrivals.length; ; looked++) {
    await environment.sink.until(() => environment.sink.arrivals.length > looked, 90_000);
    if (await isNew(environment.sink.arrivals[looked]!.id)) break;
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
  return FaultEnvironment.with({ database, apis: 1, workers: WORKERS }, async (environment) => {
    environment.begin();
    const calls = await environment.beginCalls();
    let slowest = 0;
    for (let n = 0; n < times; n++) {
      await environment.sink.more(100);
      await database.crash();
      await database.startAgain();
      slowest = Math.max(slowest, await backAfter(environment, calls));
    }
    const missed = slowest > BACK_MS ? [`back after ${seconds(slowest)}`] : [];
    return environment.findings(
      [...missed, ...refusalsOtherThan(calls.refusals, [503, 0])],
      `back within ${seconds(slowest)}`,
    );
  });
}

const refusalsOtherThan = (seen: number[], wanted: number[]): string[] =>
  seen.filter((status) => !wanted.includes(status)).map((status) => `the api answered ${status}`);

/** The service connects to its database through a proxy; the load connects directly. */
async function throughProxy(
  options: { apis?: number },
  work: (environment: FaultEnvironment, proxy: TcpProxy) => Promise<Findings>,
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
  return FaultEnvironment.with({ database, directUrl: behind.url, workers: WORKERS, ...options }, (environment) =>
    work(environment, proxy),
  );
}

const stalled = ({ times }: Scale): Promise<Findings> =>
  throughProxy({}, async (environment, proxy) => {
    environment.begin();
    let slowest = 0;
    for (let n = 0; n < times; n++) {
      await environment.sink.more(100);
      proxy.stall();
      await delay(STALL_MS);
      proxy.resume();
      slowest = Math.max(slowest, await backAfter(environment));
    }
    return environment.findings([], `back within ${seconds(slowest)}`);
  });

const reset = ({ times }: Scale): Promise<Findings> =>
  throughProxy({}, async (environment, proxy) => {
    environment.begin();
    for (let n = 0; n < times; n++) {
      await environment.sink.more(60 + 7 * n);
      proxy.reset();
    }
    return environment.findings();
  });

const slow = (): Promise<Findings> =>
  throughProxy({}, async (environment, proxy) => {
    proxy.latencyMs = 50;
    environment.begin();
    await environment.sink.more(1_000);
    return environment.findings();
  });

const vanished = (): Promise<Findings> =>
  throughProxy({ apis: 1 }, async (environment, proxy) => {
    environment.begin(60);
    const calls = await environment.beginCalls();
    await environment.sink.more(100);
    proxy.vanish();
    const back = await backAfter(environment, calls);
    const missed = back > VANISHED_BACK_MS ? [`back after ${seconds(back)}`] : [];
    return environment.findings(missed, `back after ${seconds(back)}`);
  });

const both = IN_FLIGHT * WORKERS;

export const DATABASE: Row[] = [
  {
    name: 'database-crashed',
    fault: 'PostgreSQL immediate stop under load',
    times: 2,
    bar: (times) => ({ duplicates: both * times, also: 'back within 10 s, 503 meanwhile' }),
    run: crashed,
  },
  {
    name: 'database-stalled',
    fault: 'database unreachable for 4 s (proxy)',
    times: 2,
    bar: (times) => ({ duplicates: IN_FLIGHT * times }),
    run: stalled,
  },
  {
    name: 'database-reset',
    fault: 'all database connections reset (proxy)',
    times: 4,
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
    fault: 'database connections die silently, new ones work (failover)',
    times: 1,
    bar: () => ({ duplicates: both, also: 'back within 60 s' }),
    run: vanished,
  },
];
