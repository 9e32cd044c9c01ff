import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { prepared } from './api-database.js';
import { answerTimes, type LoadRequest } from './api-load.js';
import { requestsFor } from './api-requests.js';
import type { BalancerTold } from './scale-balancer.js';
import { pidsOf, type ScaleEnvironment } from './scale-environment.js';
import { rounds, type Measured, type Work } from './scale-rounds.js';

const COUNTS = [1, 2, 4];
const MOST = 4;
const CALLS = 20_000;
const WORK_MS = 1_000;
const WARM_UP_MS = 3_000;

/** 32 clients behind a load balancer. No dialer runs, so their calls stay queued. */
export async function scaleApi(environment: ScaleEnvironment): Promise<Measured[]> {
  const empty = await environment.emptyDatabase();
  const { one, list, create } = await requestsFor(await prepared(empty.url, CALLS));
  // All processes run all the time and stay warm; the balancer uses the first ones.
  const stack = await environment.stack({ database: empty, apis: MOST, workers: 0, dialers: 0, env: { PORT: '0' } });
  const balancer = await startBalancer();
  const ports = stack.processes.map(({ ready }) => Number(ready.port));
  let count = MOST;
  const asked = (name: string, next: () => LoadRequest): Work => ({
    name,
    prepare: () =>
      Promise.resolve(async () => {
        const { times } = await answerTimes(balancer.port, next, WORK_MS);
        return { units: times.length, times };
      }),
  });
  try {
    await balancer.use(ports);
    for (const next of [one, list, create]) await answerTimes(balancer.port, next, WARM_UP_MS);
    return await rounds({
      name: 'api',
      counts: COUNTS,
      works: [asked('GET one call', one), asked('list of 2,000 calls', list), asked('POST a call', create)],
      resize: async (wanted) => {
        count = wanted;
        await balancer.use(ports.slice(0, count));
        return 0;
      },
      pids: () => ({ own: pidsOf(stack, 'api').slice(0, count), postgres: environment.postgresPid }),
    });
  } finally {
    balancer.stop();
    await stack.stop();
  }
}

async function startBalancer() {
  const child = fork(fileURLToPath(new URL('./scale-balancer.js', import.meta.url)), { execArgv: [] });
  const [{ port }] = (await once(child, 'message')) as [{ port: number }];
  return {
    port,
    use: async (ports: number[]): Promise<void> => {
      const done = once(child, 'message');
      child.send({ ports } satisfies BalancerTold);
      await done;
    },
    stop: () => child.disconnect(),
  };
}
