import { isPooled } from './pooled-database.js';
import { redisLocation } from './redis-location.js';

/** @returns what is wrong with QUEUE_URL, or that one is needed. */
export function queueProblem(env: { QUEUE_URL?: string; DATABASE_URL?: string }): string | undefined {
  if (env.QUEUE_URL !== undefined) {
    const location = redisLocation(env.QUEUE_URL);
    return typeof location === 'string' ? location : undefined;
  }
  // BullMQ on PostgreSQL listens on its session.
  return env.DATABASE_URL !== undefined && isPooled(env.DATABASE_URL)
    ? 'a queue cannot be in a database behind a pooler: name a Redis'
    : undefined;
}
