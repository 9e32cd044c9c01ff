import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { dataSourceOptions } from './data-source-options.js';
import { inTransaction, poolOf, rows } from './statement.js';
import { migrate } from './migrate.js';
import { type SandboxPhone, startSandboxPhone } from '@app/sandbox/phone';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataSource } from 'typeorm';
import { apiOf } from '../../../test/support/api-client.js';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.js';
import { freePort } from '../../../test/support/free-port.js';
import { startProgram, type Program } from '../../../test/support/programs.js';
import { suiteWith } from '../../../test/support/suite-with.js';
import { openRedis, type RedisServer } from '../../../test/support/redis.js';
import { Stack } from '../../../test/support/stack.js';
import { WebhookSink } from '../../../test/support/webhook-sink.js';
import { createAccount } from '../../../test/support/workspace.js';

const suite = suiteWith(['pgbouncer', 'redis-server']);

let folder: string;
let database: TestDatabase;
let bouncer: Program;
let redis: RedisServer;
let pooledUrl: string;

/** Two connections to the server for everybody: whoever relies on his session is found out. */
async function startBouncer(to: URL): Promise<Program> {
  const port = await freePort();
  const server = `host=${to.hostname} port=${to.port} user=${to.username} password=${decodeURIComponent(to.password)}`;
  const config = [
    '[databases]',
    `* = ${server} connect_query='SET statement_timeout = 30000'`,
    '[pgbouncer]',
    ...['listen_addr = 127.0.0.1', `listen_port = ${port}`, 'auth_type = any', 'pool_mode = transaction'],
    ...['default_pool_size = 2', 'max_client_conn = 200', 'unix_socket_dir =', 'server_reset_query ='],
  ];
  const file = join(folder, 'pgbouncer.ini');
  writeFileSync(file, `${config.join('\n')}\n`);
  // It refuses to be root.
  const user = process.getuid?.() === 0 ? ['-u', 'nobody'] : [];
  return startProgram('pgbouncer', ['-q', ...user, file], port);
}

suite('behind pgbouncer in transaction mode', () => {
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'trunkline-pgbouncer-'));
    chmodSync(folder, 0o755);
    database = await createTestDatabase();
    const url = new URL(database.url);
    bouncer = await startBouncer(url);
    url.port = String(bouncer.port);
    url.search = '?pgbouncer=true';
    pooledUrl = url.href;
    redis = await openRedis();
  });
  afterAll(async () => {
    await Promise.all([bouncer?.stop(), redis?.stop()]);
    await database?.drop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('named statements of different clients do not collide', async () => {
    const dataSource = await new DataSource(dataSourceOptions(pooledUrl, 6)).initialize();
    const pool = poolOf(dataSource);
    try {
      const one = { name: 'one', text: 'SELECT $1::integer AS value' };
      const asked = Array.from({ length: 50 }, (_, index) => rows<{ value: number }>(pool, one, [index]));
      expect((await Promise.all(asked)).map(([row]) => row?.value)).toEqual(asked.map((_, index) => index));
      expect(await inTransaction(pool, (tx) => rows(tx, { name: 'one', text: 'SELECT 2 AS value' }))).toEqual([
        { value: 2 },
      ]);
    } finally {
      await dataSource.destroy();
    }
  });

  it('migrations refuse the address of a pooler, because they hold a session lock', async () => {
    await expect(migrate(pooledUrl)).rejects.toThrow('DATABASE_URL must name the database itself');
  });

  it('a call is placed and reported by webhooks', async () => {
    const sink = await WebhookSink.start();
    let phone: SandboxPhone | undefined;
    const stack = await Stack.start({
      database: { url: pooledUrl, drop: () => Promise.resolve() },
      queueUrl: redis.url,
    });
    try {
      phone = await startSandboxPhone({
        bind: '127.0.0.1',
        port: 0,
        rtpPorts: { min: 29_000, max: 29_399 },
        log: { debug: () => undefined, warn: () => undefined },
      });
      const account = await createAccount(stack, {
        name: 'acme',
        webhookUrl: `${sink.url}/hook`,
        trunk: { port: phone.port },
      });
      const to_number = `sip:hangup_after_1@127.0.0.1:${phone.port}`;
      const { call_id: callId } = await apiOf(stack, account).createCall({ to_number });
      await sink.until(() => sink.eventsOf(callId).includes('ended'));
      expect(sink.eventsOf(callId)).toContain('completed');
    } finally {
      await stack.stop();
      await phone?.close();
      await sink.close();
    }
  });
});
