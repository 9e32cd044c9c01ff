import type { Env } from '@app/common';
import { Queue } from 'bullmq';
import { queueOptions } from './queue-options.js';
import { prepareQueueSchema } from './queue-schema.js';
import { within } from './time-limit.js';

/** What the queue says of itself. */
interface QueueProbe {
  /** Jobs in it that wait; they only wake processes up. */
  waiting: number;
  /** Redis: whether it writes what it has to the disk (AOF). Undefined: the queue is in PostgreSQL. */
  persistent?: boolean;
}

/** Asks the queue for its counts. Throws what the connection throws, and does not wait for a Redis that is away longer than `ms`. */
export async function probeQueue(env: Pick<Env, 'QUEUE_URL' | 'DATABASE_URL'>, ms: number): Promise<QueueProbe> {
  if (!env.QUEUE_URL && env.DATABASE_URL) await within(ms, prepareQueueSchema(env.DATABASE_URL));
  const queue = new Queue('dial', queueOptions(env));
  // BullMQ keeps trying: the time limit below ends that, and this is the reason.
  let lost: Error | undefined;
  queue.on('error', (error) => (lost = error));
  try {
    const { waiting = 0 } = await within(ms, queue.getJobCounts('waiting'));
    if (!env.QUEUE_URL) return { waiting };
    return { waiting, persistent: await within(ms, isPersistent(queue)) };
  } catch (error) {
    if (!env.QUEUE_URL || lost === undefined) throw error;
    throw new Error(`Redis cannot be used: ${lost.message}`, { cause: error });
  } finally {
    await within(1_000, queue.close()).catch(() => undefined);
  }
}

async function isPersistent(queue: Queue): Promise<boolean> {
  const client = (await queue.getBackend().client) as unknown as { info(section: string): Promise<string> };
  return /^aof_enabled:1/m.test(await client.info('persistence'));
}
