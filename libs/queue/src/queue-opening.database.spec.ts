import { queueOptions } from './queue-options.js';
import { QUEUE_NAMES } from './queues.js';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Queue } from 'bullmq';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.js';
import { eventually } from '../../../test/support/eventually.js';
import { Stack } from '../../../test/support/stack.js';
import { TcpProxy } from '../../../test/support/tcp-proxy.js';

let database: TestDatabase;
let proxy: TcpProxy;

beforeAll(async () => {
  database = await createTestDatabase();
  proxy = await TcpProxy.before(Number(new URL(database.url).port));
  // Those of the queue name their schema when they connect.
  proxy.refuses = (first) => first.includes('search_path');
});
afterAll(async () => {
  await proxy.close();
  await database.drop();
});

/** It once span for ever, 10 MB of stack traces a second, and did not even hear SIGTERM. */
it.each(['api', 'worker', 'dialer'])(
  'a %s whose queue cannot be opened exits, so that it is restarted',
  async (role) => {
    const url = new URL(database.url);
    url.port = String(proxy.port);
    const child = fork(join(process.cwd(), 'dist/apps', role, 'src/main.js'), {
      env: {
        ...process.env,
        NODE_OPTIONS: '',
        DATABASE_URL: url.href,
        SECRET_KEY: 'a secret of this test, which is long enough',
        TRUNKLINE_HOME: `${process.env.TMPDIR ?? '/tmp'}/trunkline-opening-${process.pid}`,
        PORT: '0',
        SIP_PORT: '0',
        SIP_BIND: '127.0.0.1',
        LOG_LEVEL: 'silent',
      },
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    try {
      await once(child, 'exit');
      expect(child.exitCode).toBe(1);
    } finally {
      child.kill('SIGKILL');
    }
  },
);

it('a job of every queue is taken by a running process', async () => {
  const stack = await Stack.start({ apis: 0 });
  const options = queueOptions({ DATABASE_URL: stack.database.url });
  const queues = QUEUE_NAMES.map((name) => new Queue(name, options));
  try {
    // A job that fails or completes is removed; one that no process takes stays.
    const add = (queue: Queue) => queue.add('unit', {}, { jobId: 'added', removeOnComplete: true, removeOnFail: true });
    for (const queue of queues) await add(queue);
    const left = async (): Promise<string[]> => {
      const found = await Promise.all(queues.map((queue) => queue.getJob('added')));
      return queues.filter((_, n) => found[n]).map(({ name }) => name);
    };
    expect(await eventually(left, (names) => names.length === 0, 60_000)).toEqual([]);
  } finally {
    await Promise.all(queues.map((queue) => queue.close()));
    await stack.stop();
  }
});
