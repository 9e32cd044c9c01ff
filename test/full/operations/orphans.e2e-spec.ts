import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { PATIENCE_MS } from '../../support/eventually.js';

/** A killed supervisor takes the reader of its parts' logs along; one part then wrote its last line into the broken pipe for ever. */
describe('a process whose supervisor was killed exits:', () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());

  it.each(['api', 'worker', 'dialer'])('%s', async (role) => {
    const child = fork(join(process.cwd(), 'dist/apps', role, 'src/main.js'), {
      env: {
        ...process.env,
        NODE_OPTIONS: '',
        DATABASE_URL: database.url,
        SECRET_KEY: 'a secret of this test, which is long enough',
        TRUNKLINE_HOME: `${process.env.TMPDIR ?? '/tmp'}/trunkline-orphan-${process.pid}`,
        PORT: '0',
        SIP_PORT: '0',
        SIP_BIND: '127.0.0.1',
      },
      stdio: ['ignore', 'pipe', 'ignore', 'ipc'],
    });
    expect(await endsWhenLeftAlone(child)).toBe(true);
  });

  it.each(['closed', 'stuck', 'thrown'])('with log output during its exit, when it is %s', async (way) => {
    const child = fork('test/support/orphan.mjs', [way], { stdio: ['ignore', 'pipe', 'ignore', 'ipc'] });
    expect(await endsWhenLeftAlone(child)).toBe(true);
  });
});

/** What the death of the supervisor is to its part: nobody reads its output any more, and the IPC channel closes. */
async function endsWhenLeftAlone(child: ChildProcess): Promise<boolean> {
  child.stdout?.resume();
  await once(child, 'message');
  const exit = once(child, 'exit');
  const timer = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS);
  child.stdout?.destroy();
  child.disconnect();
  await exit;
  clearTimeout(timer);
  return !child.killed;
}
