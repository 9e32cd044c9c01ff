import { spawnSync } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { openRedis } from '../../support/redis.js';
import { FaultEnvironment } from '../fault-environment.js';
import type { Findings, Row } from '../row.js';

const AWAY_MS = 4_000;

/** Redis loses its data, is down for a while, and restarts empty. */
async function killed({ times }: { times: number }): Promise<Findings> {
  let redis = await openRedis();
  try {
    return await FaultEnvironment.with({ queueUrl: redis.url, apis: 1 }, async (environment) => {
      environment.begin(60);
      const calls = await environment.beginCalls();
      const missed: string[] = [];
      for (let n = 0; n < times; n++) {
        await environment.sink.more(100);
        await redis.kill();
        const before = environment.sink.arrivals.length;
        await delay(AWAY_MS);
        if (environment.sink.arrivals.length < before + 60) missed.push('without Redis, the sweeper did not continue');
        redis = await openRedis(Number(new URL(redis.url).port));
      }
      await environment.sink.more(100);
      return environment.findings([...missed, ...calls.refusals.map((status) => `the api answered ${status}`)]);
    });
  } finally {
    await redis.stop();
  }
}

export const REDIS: Row[] = [
  {
    name: 'redis-killed',
    fault: 'kill -9 Redis without persistence, down for 4 s, restarted empty',
    times: 2,
    bar: () => ({ duplicates: 0, also: 'the api always answers 201' }),
    skip: () => (spawnSync('redis-server', ['--version']).error ? 'redis-server is not installed' : undefined),
    run: killed,
  },
];
