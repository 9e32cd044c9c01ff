import type { RedisLocation } from '@app/common';
import { createIORedisClient, RedisConnection, type QueueOptions } from 'bullmq';
import { Cluster } from 'ioredis';

/** A worker waits for Redis to come back; BullMQ insists on it for blocking connections. */
const PATIENT = { maxRetriesPerRequest: null };

/**
 * Keys of one queue must be on one node of a Cluster, so that BullMQ's scripts can use them together: those with the same text in
 * braces are (Redis Cluster specification, hash tags).
 */
const CLUSTER_PREFIX = '{trunkline}';

/** How BullMQ reaches a Redis. As with its backend there is one way per process. */
export function redisOptions(location: RedisLocation): QueueOptions {
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
