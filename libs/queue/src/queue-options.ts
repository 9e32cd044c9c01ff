import type { Env } from '@app/common';
import { createPostgresBackend, setDefaultBackendFactory, type QueueBaseOptions } from 'bullmq';

/** Queues that only wake a process up: what is to be done stands in the database, where it is looked for regardless. */
export const WAKE_QUEUES = ['dial', 'webhooks'] as const;
export type WakeQueue = (typeof WAKE_QUEUES)[number];

/**
 * BullMQ on PostgreSQL, or on Redis when QUEUE_URL names one. BullMQ's backend is chosen once per process, so this is
 * called before the first Queue or Worker is made.
 */
export function queueOptions(env: Pick<Env, 'QUEUE_URL' | 'DATABASE_URL'>): QueueBaseOptions {
  if (env.QUEUE_URL) {
    setDefaultBackendFactory(undefined);
    // A worker waits for Redis to come back (null); BullMQ insists on it for blocking connections.
    return { connection: { url: env.QUEUE_URL, maxRetriesPerRequest: null } };
  }
  if (!env.DATABASE_URL) throw new Error('A queue needs QUEUE_URL or DATABASE_URL.');
  setDefaultBackendFactory(createPostgresBackend);
  // Typed for Redis by default; the PostgreSQL backend takes a node-postgres pool configuration here.
  const connection: unknown = { connectionString: env.DATABASE_URL, max: 4, migrate: true };
  return { connection: connection as QueueBaseOptions['connection'] };
}

/** Wake-ups are cheap to lose and useless to keep: one try, nothing remembered. */
export const WAKE_WORKER = { concurrency: 1, lockDuration: 10_000, stalledInterval: 5_000, maxStalledCount: 100 };
