import { redisLocation, type Env, type RedisLocation } from '@app/common';
import { createIORedisClient, type QueueOptions, RedisConnection, setDefaultBackendFactory } from 'bullmq';
import { Cluster } from 'ioredis';
import { sharedPostgresBackends } from './shared-postgres.js';

/** A vanished server closes no connection: a query without an answer by then is repeated on another one. */
const ANSWER_MS = 35_000;

/**
 * Queues hold no durable data, so a job waits for no flush; it took two. Jobs lost in a crash of PostgreSQL are replaced by those of
 * the schedulers.
 */
const UNFLUSHED = '-c synchronous_commit=off';

const postgresBackends = sharedPostgresBackends();

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
  setDefaultBackendFactory(postgresBackends);
  // Typed for Redis by default; the PostgreSQL backend takes a node-postgres pool configuration here.
  const connection: unknown = {
    connectionString: env.DATABASE_URL,
    max: 4,
    query_timeout: ANSWER_MS,
    options: UNFLUSHED,
  };
  return { connection: connection as QueueOptions['connection'] };
}

/** A worker waits for Redis to come back; BullMQ insists on it for blocking connections. */
const PATIENT = { maxRetriesPerRequest: null };

/**
 * Keys of one queue must be on one node of a Cluster, so that BullMQ's scripts can use them together: those with the same text in
 * braces are (Redis Cluster specification, hash tags).
 */
const CLUSTER_PREFIX = '{trunkline}';

/** How BullMQ reaches a Redis. As with its backend there is one way per process. */
function redisOptions(location: RedisLocation): QueueOptions {
  RedisConnection.clientFactory = undefined;
  if (location.kind === 'single') return { connection: { url: location.url, ...PATIENT } };
  if (location.kind === 'cluster') return clusterOptions(location);
  const { sentinels, name, db, tls, username, password, sentinelPassword } = location;
  const secure = tls ? { tls: {}, sentinelTLS: {}, enableTLSForSentinelMode: true } : {};
  return { connection: { sentinels, name, db, username, password, sentinelPassword, ...secure, ...PATIENT } };
}

function clusterOptions({ nodes, tls, username, password }: RedisLocation & { kind: 'cluster' }): QueueOptions {
  const redisOptions = { username, password, ...(tls && { tls: {} }), ...PATIENT };
  // A connection that BullMQ has made it also closes, which it would not with one of ours.
  RedisConnection.clientFactory = () => createIORedisClient(new Cluster(nodes, { redisOptions }));
  return { connection: PATIENT, prefix: CLUSTER_PREFIX };
}
