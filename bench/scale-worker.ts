import { Encryption } from '@app/common';
import { queueOptions, WakeUpsService } from '@app/queue';
import { Queue } from 'bullmq';
import { Pool } from 'pg';
import { pino } from 'pino';
import { setTimeout as delay } from 'node:timers/promises';
import { DocumentEvents } from '../test/support/document-events.js';
import { KnowledgeClient } from '../test/support/knowledge-client.js';
import { WebhookAccount } from '../test/support/webhook-account.js';
import { createAccount } from '../test/support/workspace.js';
import { pidsOf, resize, type ScaleEnvironment } from './scale-environment.js';
import { rounds, type Measured, type Work } from './scale-rounds.js';
import { SinkProcess } from './sink-process.js';
import { monotonicMs } from './monotonic-clock.js';

const STREAMS = 600;
const EVENTS = 5;
const IDLE_EVENTS = 40;
const DOCUMENTS = 20;
const DOCUMENT = `# A letter\n\n${'This letter describes its subject in two sentences. This is the second one. '.repeat(25)}\n`;
/** Events per transaction, as live calls commit them. */
const BELL_MS = 25;

const log = pino({ level: process.env.BENCH_LOG ?? 'fatal' });

/** Sources of the work: the database, the queue that api and dialers wake, and the receivers. */
export interface DeliverySetup {
  pool: Pool;
  account: WebhookAccount;
  sink: SinkProcess;
  wakeUps: WakeUpsService;
}

/** One api accepts the documents; there are no calls. */
export async function scaleWorker(environment: ScaleEnvironment): Promise<Measured[]> {
  const stack = await environment.stack({ database: await environment.database(), dialers: 0, workers: 0 });
  const options = queueOptions({ DATABASE_URL: stack.database.url, QUEUE_URL: environment.queueUrl });
  const queues = [new Queue('webhooks', options), new Queue('documents', options)];
  const pool = new Pool({ connectionString: stack.database.url, max: 4 });
  pool.on('error', (err) => log.warn({ err }, 'an idle connection was closed'));
  const sink = await SinkProcess.start();
  const news = await DocumentEvents.subscribe(stack.database.url);
  try {
    const account = await WebhookAccount.create(pool, new Encryption(stack.secretKey));
    await account.addSecret();
    const setup = { pool, account, sink, wakeUps: new WakeUpsService(queues, log) };
    const client = new KnowledgeClient(stack, await createAccount(stack, { name: 'bench' }));
    const ids: number[] = [];
    while (ids.length < DOCUMENTS) ids.push((await client.file(`letter-${ids.length}.md`, DOCUMENT)).id);
    return await rounds({
      name: 'worker',
      // Installations without Redis have at most two workers.
      counts: environment.queueUrl ? [1, 2, 4] : [1, 2],
      works: [deliveries(setup), idleDeliveries(setup), documents(setup, news, ids)],
      resize: (count) => resize(stack, 'worker', count),
      pids: () => ({ own: pidsOf(stack, 'worker'), postgres: environment.postgresPid }),
    });
  } finally {
    await Promise.all(queues.map((queue) => queue.close()));
    await news.close();
    await pool.end();
    sink.stop();
    await stack.stop();
  }
}

const target = ({ urls }: SinkProcess, n: number) => ({ url: `${urls[n % urls.length]}/hook`, method: 'POST' });

/** A backlog in one commit, measured until the last delivery is received. */
export function deliveries({ pool, account, sink, wakeUps }: DeliverySetup): Work {
  const prepare: Work['prepare'] = async () => {
    await settled(pool);
    const client = await pool.connect();
    await client.query('BEGIN');
    await account.writeBacklog(client, STREAMS, EVENTS, (n) => target(sink, n));
    return async () => {
      const received = sink.all(STREAMS * EVENTS);
      await client.query('COMMIT');
      client.release();
      const bell = setInterval(() => wakeUps.wake('webhooks'), BELL_MS);
      await received;
      clearInterval(bell);
      return { units: STREAMS * EVENTS };
    };
  };
  return { name: 'deliveries of a backlog', warmUp: true, prepare };
}

/** From the commit to the request at the receiver, on an idle service. */
function idleDeliveries({ pool, account, sink, wakeUps }: DeliverySetup): Work {
  const run = async () => {
    const times: number[] = [];
    while (times.length < IDLE_EVENTS) {
      const [record] = await account.writeStatuses(await account.createCall(), target(sink, times.length), 1);
      const writtenAt = monotonicMs();
      const arrival = sink.arrival(record?.id ?? '');
      wakeUps.wake('webhooks');
      times.push((await arrival) - writtenAt);
      await delay(5 + Math.random() * 40);
    }
    return { times };
  };
  return { name: 'one delivery, from commit to receipt', prepare: async () => (await settled(pool), run) };
}

export async function settled(pool: Pool): Promise<void> {
  for (;;) {
    const { rows } = await pool.query('SELECT 1 FROM webhook_streams WHERE lease_owner IS NOT NULL LIMIT 1');
    if (rows.length === 0) return;
  }
}

/** All documents are to be processed again, as POST …/reprocess asks for it, until the last of them is. */
function documents({ pool, wakeUps }: DeliverySetup, news: DocumentEvents, ids: number[]): Work {
  const run = async () => {
    await pool.query(
      `UPDATE knowledge_bases SET status = 'pending', generation = generation + 1, attempt = 0, next_attempt_at = now()
        WHERE id = ANY ($1)`,
      [ids],
    );
    wakeUps.wake('documents');
    await news.ended(ids);
    return { units: ids.length };
  };
  return { name: 'documents of 2 KB', prepare: async () => (await news.ended(ids), run) };
}
