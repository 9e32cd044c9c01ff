import type { Env, Log } from '@app/common';
import { getQueueToken, WorkerHost } from '@nestjs/bullmq';
import type { INestApplicationContext } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { Queue } from 'bullmq';
import { QueueListener } from './queue-listener.js';
import { QUEUE_NAMES, type QueueRole, QUEUES } from './queues.js';

interface Opening {
  /** Of the process. */
  role: QueueRole | 'api';
  env: Pick<Env, 'QUEUE_URL'>;
  log: Log;
}

/**
 * Lets all provided processors listen, once the queues are open. BullMQ on PostgreSQL remembers for ever that its first connection failed (too many
 * clients, a server that was just going down): its worker then spins without yielding, deaf even to SIGTERM, and wrote 10 MB of stack
 * traces a second. A process that meets this at its start must end and be started again.
 * Rejects with what PostgreSQL said, and if a queue of this process has no processor. On Redis nothing is waited for: it reconnects by itself.
 */
export async function openQueues(app: INestApplicationContext, { role, env, log }: Opening): Promise<void> {
  const queueOf = (name: string) => app.get<Queue>(getQueueToken(name), { strict: false });
  const processors = providedProcessors(app);
  requireProcessors(role, processors);
  const listeners = processors.map((processor) => new QueueListener(processor, queueOf(processor.worker.name), log));
  const opened = [...processors.map(({ worker }) => worker), ...QUEUE_NAMES.map(queueOf)];
  if (!env.QUEUE_URL) await Promise.all(opened.map((one) => one.waitUntilReady()));
  for (const listener of listeners) listener.start();
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

function requireProcessors(role: Opening['role'], processors: readonly WorkerHost[]): void {
  const heard = new Set(processors.map(({ worker }) => worker.name));
  const unheard = QUEUE_NAMES.filter((name) => QUEUES[name].role === role && !heard.has(name));
  if (unheard.length === 0) return;
  throw new Error(
    `No processor of the ${role} takes the jobs of ${unheard.join(', ')}: provide a class with @Processor for each queue.`,
  );
}
