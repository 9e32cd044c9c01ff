import { spawnSync } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { openRedis } from '../../support/redis.js';
import { Ground } from '../ground.js';
import type { Findings, Row } from '../row.js';

const AWAY_MS = 4_000;

/** Redis loses all it has, stays away for a while, and comes back empty. */
async function killed({ times }: { times: number }): Promise<Findings> {
  let redis = await openRedis();
  try {
    return await Ground.with({ queueUrl: redis.url, apis: 1 }, async (ground) => {
      ground.begin(60);
      const calls = await ground.beginCalls();
      const missed: string[] = [];
      for (let n = 0; n < times; n++) {
        await ground.sink.more(100);
        await redis.kill();
        const before = ground.sink.arrivals.length;
        await delay(AWAY_MS);
        if (ground.sink.arrivals.length < before + 60) missed.push('without Redis, the sweeper did not carry on');
        redis = await openRedis(Number(new URL(redis.url).port));
      }
      await ground.sink.more(100);
      return ground.findings([...missed, ...calls.refusals.map((status) => `the api answered ${status}`)]);
    });
  } finally {
    await redis.stop();
  }
}

export const REDIS: Row[] = [
  {
    name: 'redis-killed',
    fault: 'kill -9 Redis without persistence, 4 s away, back empty',
    times: 3,
    bar: () => ({ duplicates: 0, also: 'the api answers 201 all the while' }),
    skip: () => (spawnSync('redis-server', ['--version']).error ? 'redis-server is not installed' : undefined),
    run: killed,
  },
];
