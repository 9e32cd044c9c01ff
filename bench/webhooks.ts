import { Encryption } from '@app/common';
import { Database, migrate } from '@app/database';
import { prepareQueueSchema, queueOptions, WAKE_WORKER, WakeUps } from '@app/queue';
import { type DeliveryRecord, WebhookDispatcher, WebhookDispatchModule } from '@app/webhooks';
import { Queue, Worker } from 'bullmq';
import { chmodSync, mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Pool } from 'pg';
import { pino } from 'pino';
import { Agent, request } from 'undici';
import { startEmbeddedPostgres } from '../apps/cli/src/postgres/embedded-postgres.js';
import { openServices } from '../test/support/services.js';
import { WebhookAccount } from '../test/support/webhook-account.js';
import { cpuOfTrees } from './cpu.js';
import { table } from './table.js';
import { SinkProcess } from './sink-process.js';
import { monotonicMs } from './webhook-sink.js';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const STREAMS = 600;
const EVENTS = 5;
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
  const [dial, webhooks] = [new Queue('dial', options), new Queue('webhooks', options)];
  const campaigns = new Queue('campaigns', options);
  const analyses = new Queue('analyses', options);
  const wakeUps = new WakeUps(dial, webhooks, campaigns, analyses, log);
  const variables = { DATABASE_URL: server.url, DATABASE_POOL: '10', EGRESS_ALLOW_CIDRS: '127.0.0.0/8' };
  const services = await openServices(variables, [WebhookDispatchModule.forRoot({ sweepMs: 60_000 })], { log });
  const dispatcher = services.get(WebhookDispatcher);
  const { pool } = services.get(Database);
  const worker = new Worker('webhooks', async () => dispatcher.wake(), { ...options, ...WAKE_WORKER });
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
    dispatcher,
    wake: () => wakeUps.wake('webhooks'),
    close: async () => {
      await Promise.all([worker.close(), dispatcher.stop()]);
      await Promise.all([dial.close(), webhooks.close(), campaigns.close(), analyses.close(), services.close()]);
      await server.stop();
      await rm(home, { recursive: true, force: true });
    },
  };
}

type BenchEnvironment = Awaited<ReturnType<typeof openEnvironment>>;

interface Measured {
  /** Requests per second. */
  rate: number;
  /** CPU of this process per request, in microseconds. */
  cpuUs: number;
  /** CPU of PostgreSQL per request. */
  postgresUs?: number;
}

async function timed(sink: SinkProcess, send: () => Promise<void>): Promise<Measured> {
  const count = STREAMS * EVENTS;
  const cpu = process.cpuUsage();
  const startedAt = monotonicMs();
  const done = sink.all(count);
  await send();
  const rate = (count * 1_000) / ((await done) - startedAt);
  const { user, system } = process.cpuUsage(cpu);
  return { rate, cpuUs: (user + system) / count };
}

/** Events per second of a dispatcher that is woken with a backlog of 600 calls with 5 events each. */
async function dispatched(
  environment: BenchEnvironment,
  sink: SinkProcess,
  account: WebhookAccount,
): Promise<Measured> {
  await account.writeBacklog(environment.pool, STREAMS, EVENTS, (stream) => target(sink, stream));
  const postgresMs = await cpuOfTrees([environment.postgresPid]);
  const measured = await timed(sink, async () => environment.dispatcher.wake());
  await settled(environment.pool);
  const usedMs = (await cpuOfTrees([environment.postgresPid])) - postgresMs;
  return { ...measured, postgresUs: (usedMs * 1_000) / (STREAMS * EVENTS) };
}

const target = (sink: SinkProcess, stream: number) => ({
  url: `${sink.urls[stream % sink.urls.length]}/hook`,
  method: 'POST',
});

async function settled(pool: Pool): Promise<void> {
  for (;;) {
    const { rows } = await pool.query('SELECT 1 FROM webhook_streams WHERE lease_owner IS NOT NULL LIMIT 1');
    if (rows.length === 0) return;
  }
}

/** Sends the same bodies and headers to the same ports with undici, as fast as possible with `inFlight` requests. */
async function raw(sink: SinkProcess, agent: Agent, body: string, inFlight: number): Promise<Measured> {
  let left = STREAMS * EVENTS;
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'Trunkline/bench',
    'webhook-id': 'a',
    'webhook-signature': 'v1,b',
  };
  const lane = async (index: number): Promise<void> => {
    while (left-- > 0) {
      const url = `${sink.urls[(index + left) % sink.urls.length]}/hook`;
      const answer = await request(url, { dispatcher: agent, method: 'POST', headers, body });
      await answer.body.text();
    }
  };
  const lanes = () => Promise.all(Array.from({ length: inFlight }, (_, index) => lane(index)));
  return timed(sink, async () => void (await lanes()));
}

/** The interleaved rounds: the dispatcher, undici with as many requests in flight, and undici with sequential requests. */
const CONTENDERS = ['ours', 'raw', 'serial'] as const;

async function throughput(
  environment: BenchEnvironment,
  sink: SinkProcess,
  account: WebhookAccount,
): Promise<Record<(typeof CONTENDERS)[number], Measured>> {
  const agent = new Agent();
  const [record] = await account.writeStatuses(await account.createCall(), target(sink, 0), 1);
  await arrived(environment, sink, record);
  const body = record?.body ?? '';
  const rounds: Record<(typeof CONTENDERS)[number], Measured[]> = { ours: [], raw: [], serial: [] };
  for (let round = 0; round <= ROUNDS; round++) {
    const measured = {
      ours: await dispatched(environment, sink, account),
      raw: await raw(sink, agent, body, IN_FLIGHT),
      serial: await raw(sink, agent, body, 1),
    };
    // The first round warms up: the JIT, the connections, the pages of the database.
    if (round > 0) for (const name of CONTENDERS) rounds[name].push(measured[name]);
  }
  await agent.close();
  return { ours: medians(rounds.ours), raw: medians(rounds.raw), serial: medians(rounds.serial) };
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

const sorted = (values: number[]): number[] => [...values].sort((a, b) => a - b);
const median = (values: number[]): number => sorted(values)[Math.floor(values.length / 2)] ?? 0;
const medians = (all: Measured[]): Measured => ({
  rate: median(all.map(({ rate }) => rate)),
  cpuUs: median(all.map(({ cpuUs }) => cpuUs)),
  postgresUs: median(all.map(({ postgresUs = 0 }) => postgresUs)),
});
const p95 = (values: number[]): number => sorted(values)[Math.floor(values.length * 0.95)] ?? 0;

/** Compares the dispatcher with a raw undici loop; measures the time from commit to receiver, also beside a tenant whose receiver hangs. */
export async function run(): Promise<void> {
  const sink = await SinkProcess.start();
  const environment = await openEnvironment();
  const account = await environment.account();
  const { ours, raw: limit, serial } = await throughput(environment, sink, account);
  const idle = await latencies(environment, sink, account);
  const slow = await environment.account();
  await slow.writeBacklog(environment.pool, SLOW_STREAMS, 2, (n) => ({ url: `${sink.slowUrl}/${n}`, method: 'POST' }));
  environment.wake();
  const beside = await latencies(environment, sink, account);
  await environment.pool.query('DELETE FROM webhook_streams WHERE account_id = $1', [slow.id]);
  console.log(
    `Webhooks: ${STREAMS} streams of ${EVENTS} events to 4 hosts, ${IN_FLIGHT} in flight; medians of ${ROUNDS} interleaved rounds`,
  );
  const ms = (value: number): string => `${value.toFixed(1)} ms`;
  table(
    ['', 'measured', 'bar'],
    [
      [`undici, ${IN_FLIGHT} in flight, requests/s`, limit.rate.toFixed(0), ''],
      ['undici, sequential, requests/s', serial.rate.toFixed(0), ''],
      ['dispatcher, deliveries/s', ours.rate.toFixed(0), ''],
      [`CPU of this process per request, undici, ${IN_FLIGHT} in flight`, `${limit.cpuUs.toFixed(0)} us`, ''],
      ['CPU of this process per request, undici, sequential', `${serial.cpuUs.toFixed(0)} us`, ''],
      ['CPU of this process per request, dispatcher', `${ours.cpuUs.toFixed(0)} us`, ''],
      ['CPU of PostgreSQL per request, dispatcher', `${ours.postgresUs?.toFixed(0)} us`, ''],
      [`dispatcher / undici, ${IN_FLIGHT} in flight`, (ours.rate / limit.rate).toFixed(2), `>= ${BARS.ofInFlight}`],
      ['dispatcher / undici, sequential', (ours.rate / serial.rate).toFixed(2), `>= ${BARS.ofSequential}`],
      ['commit -> received, idle, p50', ms(median(idle)), ''],
      ['commit -> received, idle, p95', ms(p95(idle)), `<= ${BARS.idleMs} ms`],
      ['the same beside a hanging tenant, p95', ms(p95(beside)), `<= ${BARS.fairMs} ms`],
    ],
  );
  await environment.close();
  sink.stop();
}
