import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createTestDatabase, type TestDatabase } from './support/database.js';
import { TcpProxy } from './support/tcp-proxy.js';

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
