import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { endLostCalls, linksOf } from '@app/calls';
import { loadEnv, Seal } from '@app/common';
import { startSandboxPhone, type SandboxPhone } from '@app/telephony';
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Pool } from 'pg';
import { apiOf } from './support/api-client.js';
import { eventually } from './support/eventually.js';
import { LogLines } from './support/log-lines.js';
import { Stack } from './support/stack.js';
import { WebhookSink } from './support/webhook-sink.js';
import { createAccount } from './support/workspace.js';

let sink: WebhookSink;
let phone: SandboxPhone;
let stack: Stack;
let pool: Pool;

beforeAll(async () => {
  sink = await WebhookSink.start();
  phone = await startSandboxPhone({
    bind: '127.0.0.1',
    port: 0,
    rtpPorts: { min: 29_000, max: 29_099 },
    ringMs: 0,
    log: { debug: () => {}, warn: () => {} },
  });
  stack = await Stack.start({ env: { LOG_LEVEL: 'silent' } });
  pool = new Pool({ connectionString: stack.database.url, max: 2 });
}, 120_000);
afterAll(async () => {
  await pool?.end();
  await stack?.stop();
  await phone?.close();
  await sink?.close();
});

const files = async (folder: string): Promise<string[]> =>
  existsSync(join(stack.home, folder)) ? readdir(join(stack.home, folder)) : [];

// Its recording was stored, no row named it, and so nothing would ever have deleted it.
it('a call that was taken for lost while its dialer still had it leaves no recording behind', async () => {
  const account = await createAccount(stack, { name: 'acme', webhookUrl: `${sink.url}/hook` });
  const api = apiOf(stack, account);
  const { call_id: id } = await api.createCall({ to_number: `sip:answer@127.0.0.1:${phone.port}`, record: true });
  await sink.until(() => sink.eventsOf(id).includes('in-progress'));
  await eventually(
    () => files('tmp/recordings'),
    (all) => all.includes(`${id}.wav`),
  );

  const dialer = stack.processes.find(({ role }) => role === 'dialer')!;
  await pool.query('UPDATE dialers SET dead_at = now()');
  const env = loadEnv({ DATABASE_URL: stack.database.url, SECRET_KEY: stack.secretKey, TRUNKLINE_HOME: stack.home });
  await endLostCalls(pool, linksOf(env, new Seal(stack.secretKey)), new LogLines().log);
  await stack.retire(dialer);

  expect(await api.call(id)).toMatchObject({ status: 'failed', hangup_cause: 'worker_lost', recording_url: null });
  expect(await files(`storage/recordings/${account.accountId}`)).toEqual([]);
  expect(await files('tmp/recordings')).toEqual([]);
}, 60_000);
