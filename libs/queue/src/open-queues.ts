import type { Env, Log } from '@app/common';
import { getQueueToken, WorkerHost } from '@nestjs/bullmq';
import type { INestApplicationContext } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { Queue, Worker } from 'bullmq';
import { DOCUMENT_QUEUE } from './document-jobs.service.js';
import { WAKE_QUEUES } from './queue-options.js';

/** After an error BullMQ asks again at once, thousands of times a second. */
const PAUSE_MS = 1_000;

/**
 * Lets all provided processors listen, once the queues are open. BullMQ on PostgreSQL remembers for ever that its first connection failed (too many
 * clients, a server that was just going down): its worker then spins without yielding, deaf even to SIGTERM, and wrote 10 MB of stack
 * traces a second. A process that meets this at its start must end and be started again.
 * Rejects with what PostgreSQL said. On Redis nothing is waited for: it reconnects by itself.
 */
export async function openQueues(app: INestApplicationContext, env: Pick<Env, 'QUEUE_URL'>, log: Log): Promise<void> {
  const workers = providedProcessors(app).map(({ worker }) => worker);
  const queues = [...WAKE_QUEUES, DOCUMENT_QUEUE].map((name) => app.get<Queue>(getQueueToken(name), { strict: false }));
  for (const worker of workers) calm(worker, log);
  if (!env.QUEUE_URL) await Promise.all([...workers, ...queues].map((one) => one.waitUntilReady()));
  for (const worker of workers) worker.run().catch((err: unknown) => worker.emit('error', err as Error));
}

/** BullModule provides the DiscoveryService. A processor that two modules provide is one instance with one worker. */
function providedProcessors(app: INestApplicationContext): WorkerHost[] {
  const instances = app
    .get(DiscoveryService, { strict: false })
    .getProviders()
    .map((provider): unknown => provider.instance)
    .filter((instance) => instance instanceof WorkerHost);
  return [...new Set(instances)];
}

/** Errors are logged once until it works again, and the worker rests for a second: work is found by sweeping meanwhile. */
function calm(worker: Worker, log: Log): void {
  let resting = false;
  let failing = false;
  const rest = async (): Promise<void> => {
    resting = true;
    await worker.pause(true);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS).unref());
    resting = false;
    if (!worker.closing) await worker.resume();
  };
  worker.on('active', () => (failing = false));
  worker.on('error', (err) => {
    if (!failing) log.warn({ queue: worker.name, err }, 'a queue cannot be listened to, work is found by sweeping');
    failing = true;
    if (!resting && !worker.closing) void rest();
  });
}
