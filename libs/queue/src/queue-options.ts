import { redisLocation, type Env } from '@app/common';
import { createPostgresBackend, setDefaultBackendFactory, type QueueOptions } from 'bullmq';
import { redisOptions } from './redis-options.js';

/** Queues that only wake a process up: what is to be done stands in the database, where it is looked for regardless. */
export const WAKE_QUEUES = ['dial', 'webhooks'] as const;
export type WakeQueue = (typeof WAKE_QUEUES)[number];

/** A server that vanished closes no connection: what is not answered by then is asked again on another one. */
const ANSWER_MS = 35_000;

/**
 * Nothing that matters stands in a queue, so nobody waits for the disk: a wake-up took two flushes on its way. What a crash of
 * PostgreSQL takes along is found by the sweepers.
 */
const UNFLUSHED = '-c synchronous_commit=off';

/**
 * BullMQ on PostgreSQL, or on Redis when QUEUE_URL names one. BullMQ's backend is chosen once per process, so this is
 * called before the first Queue or Worker is made; on PostgreSQL prepareQueueSchema goes before it.
 */
export function queueOptions(env: Pick<Env, 'QUEUE_URL' | 'DATABASE_URL'>): QueueOptions {
  if (env.QUEUE_URL) {
    const location = redisLocation(env.QUEUE_URL);
    if (typeof location === 'string') throw new Error(`QUEUE_URL ${location}.`);
    setDefaultBackendFactory(undefined);
    return redisOptions(location);
  }
  if (!env.DATABASE_URL) throw new Error('A queue needs QUEUE_URL or DATABASE_URL.');
  setDefaultBackendFactory(createPostgresBackend);
  // Typed for Redis by default; the PostgreSQL backend takes a node-postgres pool configuration here.
  const connection: unknown = {
    connectionString: env.DATABASE_URL,
    max: 4,
    query_timeout: ANSWER_MS,
    options: UNFLUSHED,
  };
  return { connection: connection as QueueOptions['connection'] };
}

/** Wake-ups are cheap to lose and useless to keep: one try, nothing remembered. They are listened to from `openQueues` on. */
export const WAKE_WORKER = {
  autorun: false,
  concurrency: 1,
  lockDuration: 10_000,
  stalledInterval: 5_000,
  maxStalledCount: 100,
};
