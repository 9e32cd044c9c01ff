import { Encryption } from '@app/common';
import { Database, migrate } from '@app/database';
import { prepareQueueSchema, queueOptions, WakeUpsService, workerOptions } from '@app/queue';
import { type DeliveryRecord, WebhookDispatcherService, WebhookDispatchModule } from '@app/webhooks';
import { type Job, Queue, Worker } from 'bullmq';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import { Agent, request } from 'undici';
import { startEmbeddedPostgres } from '../apps/cli/src/postgres/embedded-postgres.js';
import { openServices } from '../test/support/services.js';
import { WebhookAccount } from '../test/support/webhook-account.js';
import { cpuOfTrees } from './cpu.js';
import { table } from './table.js';
import { SinkProcess } from './sink-process.js';
import { monotonicMs } from './monotonic-clock.js';
import type { Backlog, Dispatched, SubjectCommand } from './webhook-subject.js';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const STREAMS = 600;
const EVENTS = 5;
const REQUESTS = STREAMS * EVENTS;
const IN_FLIGHT = 16;
const IDLE_EVENTS = 150;
const SLOW_STREAMS = 300;
const BARS = { ofSequential: 0.5, ofInFlight: 0.4, idleMs: 60, fairMs: 100 };

const log = pino({ level: process.env.BENCH_LOG ?? 'error' });

/** A separate database, flushed to disk as in production unless BENCH_DURABLE is `false`, and the real queue between commit and dispatcher. */
async function openEnvironment() {
  const home = mkdtempSync(join(tmpdir(), 'trunkline-bench-'));
  // Started by root, PostgreSQL runs as another user, which must be able to enter the directory.
  chmodSync(home, 0o711);
  const server = await startEmbeddedPostgres({ home, durable: process.env.BENCH_DURABLE !== 'false' });
  await migrate(server.url);
  await prepareQueueSchema(server.url);
  const options = queueOptions({ DATABASE_URL: server.url, QUEUE_URL: undefined });
  const queue = new Queue('webhooks', options);
  const wakeUps = new WakeUpsService([queue], log);
  const variables = { DATABASE_URL: server.url, DATABASE_POOL: '10', EGRESS_ALLOW_CIDRS: '127.0.0.0/8' };
  const services = await openServices(variables, [WebhookDispatchModule.forRoot()], { log });
  const dispatcher = services.get(WebhookDispatcherService);
  const { pool } = services.get(Database);
  const drain = async (job: Job): Promise<void> => {
    await job.removeDeduplicationKey();
    await dispatcher.drain();
  };
  const worker = new Worker('webhooks', drain, { ...options, ...workerOptions(2) });
  await worker.waitUntilReady();
  worker.run().catch((err: unknown) => log.error({ err }, 'the queue worker failed'));
  const account = async () => {
    const made = await WebhookAccount.create(pool, services.get(Encryption));
    await made.addSecret();
    return made;
  };
  return {
    pool,
    postgresPid: server.pid,
    account,
    /** The URL of a new database of the same server. */
    database: async (name: string) => {
      await pool.query(`CREATE DATABASE "${name}"`);
      const url = new URL(server.url);
      url.pathname = `/${name}`;
      return url.href;
    },
    wake: () => wakeUps.wake('webhooks'),
    close: async () => {
      await Promise.all([worker.close(), dispatcher.stop()]);
      await Promise.all([queue.close(), services.close()]);
      await server.stop();
      await rm(home, { recursive: true, force: true });
    },
  };
}

type BenchEnvironment = Awaited<ReturnType<typeof openEnvironment>>;

interface Measured {
  /** Requests per second. */
  rate: number;
  /** CPU of the sending process per request, in microseconds. */
  cpuUs: number;
  /** CPU of PostgreSQL per request. */
  postgresUs?: number;
}

/** A sender of 3,000 requests per round. */
interface Contender {
  name: string;
  round: () => Promise<Measured>;
  close: () => void | Promise<void>;
}

/**
 * A dispatcher that is woken with a backlog of 600 calls with 5 events each, in a process and a database of its own.
 * @param build a `dist` folder.
 */
async function dispatching(
  name: string,
  build: string,
  environment: BenchEnvironment,
  sink: SinkProcess,
): Promise<Contender> {
  const url = await environment.database(name.replaceAll(' ', '_'));
  const backlog: Backlog = { streams: STREAMS, events: EVENTS, urls: sink.urls };
  const child = fork(new URL('./webhook-subject.js', import.meta.url), [build, url, JSON.stringify(backlog)]);
  const answer = async (): Promise<unknown> => ((await once(child, 'message')) as [unknown])[0];
  const ask = (command: SubjectCommand): Promise<unknown> => {
    child.send(command);
    return answer();
  };
  await answer();
  const round = async (): Promise<Measured> => {
    await ask('write');
    const postgresMs = await cpuOfTrees([environment.postgresPid]);
    const all = sink.all(REQUESTS);
    child.send('wake' satisfies SubjectCommand);
    const arrivedAt = await all;
    const { wokenAt, cpuUs } = (await ask('arrived')) as Dispatched;
    const usedMs = (await cpuOfTrees([environment.postgresPid])) - postgresMs;
    const rate = (REQUESTS * 1_000) / (arrivedAt - wokenAt);
    return { rate, cpuUs: cpuUs / REQUESTS, postgresUs: (usedMs * 1_000) / REQUESTS };
  };
  return { name, round, close: () => child.disconnect() };
}

const target = (sink: SinkProcess, stream: number) => ({
  url: `${sink.urls[stream % sink.urls.length]}/hook`,
  method: 'POST',
});

/** Sends the same bodies and headers to the same ports with undici, as fast as possible with `inFlight` requests. */
export function undici(name: string, inFlight: number, sink: SinkProcess, body: string): Contender {
  const agent = new Agent();
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'Trunkline/bench',
    'webhook-id': 'a',
    'webhook-signature': 'v1,b',
  };
  const round = async (): Promise<Measured> => {
    let left = REQUESTS;
    const lane = async (index: number): Promise<void> => {
      while (left-- > 0) {
        const url = `${sink.urls[(index + left) % sink.urls.length]}/hook`;
        const answer = await request(url, { dispatcher: agent, method: 'POST', headers, body });
        await answer.body.text();
      }
    };
    const cpu = process.cpuUsage();
    const startedAt = monotonicMs();
    const all = sink.all(REQUESTS);
    await Promise.all(Array.from({ length: inFlight }, (_, index) => lane(index)));
    const rate = (REQUESTS * 1_000) / ((await all) - startedAt);
    const { user, system } = process.cpuUsage(cpu);
    return { rate, cpuUs: (user + system) / REQUESTS };
  };
  return { name, round, close: () => agent.close() };
}

/** The results of each round, in the order of the contenders; builds take turns in being the first. */
async function interleaved(contenders: readonly Contender[]): Promise<Measured[][]> {
  const rounds: Measured[][] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const results: Measured[] = [];
    const order = [...contenders.keys()];
    for (const index of round % 2 === 0 ? order : order.toReversed()) results[index] = await contenders[index]!.round();
    // The first round warms up: the JIT, the connections, the pages of the database.
    if (round > 0) rounds.push(results);
  }
  return rounds;
}

/** Times from the commit to the request at the receiver, in ms; woken through the queue as by the api. */
async function arrived(
  environment: BenchEnvironment,
  sink: SinkProcess,
  record: DeliveryRecord | undefined,
): Promise<number> {
  const writtenAt = monotonicMs();
  const arrival = sink.arrival(record?.id ?? '');
  environment.wake();
  return (await arrival) - writtenAt;
}

async function latencies(environment: BenchEnvironment, sink: SinkProcess, account: WebhookAccount): Promise<number[]> {
  const found: number[] = [];
  for (let event = 0; event < IDLE_EVENTS; event++) {
    const [record] = await account.writeStatuses(await account.createCall(), target(sink, event), 1);
    found.push(await arrived(environment, sink, record));
    await new Promise((resolve) => setTimeout(resolve, 5 + Math.random() * 40));
  }
  return found;
}

/** Ratios are those of one round: the speed of the machine changes. */
function reportRates(contenders: readonly Contender[], rounds: readonly Measured[][]): void {
  const [inFlight = 0, sequential = 0] = [IN_FLIGHT, 1].map((count) =>
    contenders.findIndex(({ name }) => name === undiciName(count)),
  );
  console.log(
    `Webhooks: ${STREAMS} streams of ${EVENTS} events to 4 hosts, ${IN_FLIGHT} in flight; medians and ranges of ${ROUNDS} interleaved rounds`,
  );
  const head = ['', 'requests/s', '', 'CPU us', '', 'PostgreSQL us', ''];
  table(
    [...head, `rate / ${undiciName(IN_FLIGHT)}`, '', `rate / ${undiciName(1)}`, ''],
    contenders.map(({ name }, index) => {
      const all = (of: (one: Measured, round: readonly Measured[]) => number, digits = 0): [string, string] =>
        spread(
          rounds.map((round) => of(round[index]!, round)),
          digits,
        );
      return [
        name,
        ...all(({ rate }) => rate),
        ...all(({ cpuUs }) => cpuUs),
        ...all(({ postgresUs = 0 }) => postgresUs),
        ...all(({ rate }, round) => rate / round[inFlight]!.rate, 2),
        ...all(({ rate }, round) => rate / round[sequential]!.rate, 2),
      ];
    }),
  );
  console.log(
    `  bars: ${BARS.ofInFlight} of undici, ${IN_FLIGHT} in flight; ${BARS.ofSequential} of undici, sequential`,
  );
}

const undiciName = (inFlight: number): string =>
  inFlight === 1 ? 'undici, sequential' : `undici, ${inFlight} in flight`;

const sorted = (values: number[]): number[] => [...values].sort((a, b) => a - b);
const median = (values: number[]): number => sorted(values)[Math.floor(values.length / 2)] ?? 0;
const p95 = (values: number[]): number => sorted(values)[Math.floor(values.length * 0.95)] ?? 0;
const spread = (values: number[], digits: number): [string, string] => [
  median(values).toFixed(digits),
  `${Math.min(...values).toFixed(digits)}-${Math.max(...values).toFixed(digits)}`,
];

async function throughput(environment: BenchEnvironment, sink: SinkProcess, baseline?: string): Promise<void> {
  const account = await environment.account();
  const [record] = await account.writeStatuses(await account.createCall(), target(sink, 0), 1);
  await arrived(environment, sink, record);
  const builds = [{ name: 'dispatcher', build: fileURLToPath(new URL('..', import.meta.url)) }];
  if (baseline !== undefined) builds.push({ name: 'baseline', build: resolve(baseline) });
  const contenders: Contender[] = [];
  try {
    for (const { name, build } of builds) contenders.push(await dispatching(name, build, environment, sink));
    for (const inFlight of [IN_FLIGHT, 1])
      contenders.push(undici(undiciName(inFlight), inFlight, sink, record?.body ?? ''));
    reportRates(contenders, await interleaved(contenders));
  } finally {
    for (const { close } of contenders) await close();
  }
}

/**
 * Compares the dispatcher with a raw undici loop; measures the time from commit to receiver, also beside a tenant whose receiver hangs.
 * `baseline`: the `dist` folder of another build, whose dispatcher takes part.
 */
export async function run({ baseline }: { baseline?: string } = {}): Promise<void> {
  const sink = await SinkProcess.start();
  const environment = await openEnvironment();
  await throughput(environment, sink, baseline);
  const account = await environment.account();
  const idle = await latencies(environment, sink, account);
  const slow = await environment.account();
  await slow.writeBacklog(environment.pool, SLOW_STREAMS, 2, (n) => ({ url: `${sink.slowUrl}/${n}`, method: 'POST' }));
  environment.wake();
  const beside = await latencies(environment, sink, account);
  await environment.pool.query('DELETE FROM webhook_streams WHERE account_id = $1', [slow.id]);
  const ms = (value: number): string => `${value.toFixed(1)} ms`;
  table(
    ['from the commit to the receiver', 'p50', 'p95', 'bar'],
    [
      ['idle', ms(median(idle)), ms(p95(idle)), `p95 <= ${BARS.idleMs} ms`],
      ['beside a hanging tenant', ms(median(beside)), ms(p95(beside)), `p95 <= ${BARS.fairMs} ms`],
    ],
  );
  await environment.close();
  sink.stop();
}
