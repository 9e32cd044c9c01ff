import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { CallsModule } from '../calls.module.js';
import { DialersService } from '../queue/dialers.service.js';
import { newId } from '@app/common';
import { type SandboxPhone, startSandboxPhone } from '@app/sandbox/phone';
import { existsSync } from 'node:fs';
import { chmod, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Pool } from 'pg';
import { apiOf } from '../../../../test/support/api-client.js';
import { aCall, aWorkspace } from '../../../../test/support/factories.js';
import { eventually } from '../../../../test/support/eventually.js';
import { openServices } from '../../../../test/support/services.js';
import { Stack } from '../../../../test/support/stack.js';
import { WebhookSink } from '../../../../test/support/webhook-sink.js';
import { createAccount } from '../../../../test/support/workspace.js';

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
});
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

  // A suspended dialer: a running one notices at its next heartbeat that it was declared dead, and ends the call itself.
  const dialer = stack.processes.find(({ role }) => role === 'dialer')!;
  dialer.child.kill('SIGSTOP');
  await pool.query('UPDATE dialers SET dead_at = now()');
  const variables = { DATABASE_URL: stack.database.url, SECRET_KEY: stack.secretKey, TRUNKLINE_HOME: stack.home };
  const services = await openServices(variables, [CallsModule]);
  await services.get(DialersService).endLostCalls();
  await services.close();
  dialer.child.kill('SIGCONT');
  await stack.retire(dialer);

  expect(await api.call(id)).toMatchObject({ status: 'failed', hangup_cause: 'worker_lost', recording_url: null });
  expect(await files(`storage/recordings/${account.accountId}`)).toEqual([]);
  expect(await files('tmp/recordings')).toEqual([]);
});

const modeOf = async (...path: string[]) => ((await stat(join(stack.home, ...path))).mode & 0o777).toString(8);

/** A call whose recording grows. */
async function recordedCall(account: Awaited<ReturnType<typeof createAccount>>): Promise<string> {
  const { call_id: id } = await apiOf(stack, account).createCall({
    to_number: `sip:answer@127.0.0.1:${phone.port}`,
    record: true,
  });
  await eventually(
    () => files('tmp/recordings'),
    (all) => all.includes(`${id}.wav`),
  );
  return id;
}

// The file stayed for a day after its call, and for ever when no dialer came back to the machine.
it('a recording that a killed dialer left goes with its call, or with the next dialer when the call has ended', async () => {
  const account = await createAccount(stack, { name: 'globex' });
  const api = apiOf(stack, account);
  const killed = await stack.add('dialer');
  const [deleted, ended] = [await recordedCall(account), await recordedCall(account)];
  expect([await modeOf('tmp/recordings'), await modeOf('tmp/recordings', `${ended}.wav`)]).toEqual(['700', '600']);
  await stack.kill(killed);
  await pool.query(`UPDATE dialers SET lease_until = now() - interval '1 minute'`);
  for (const id of [deleted, ended])
    await eventually(
      () => api.call(id),
      ({ hangup_cause: cause }) => cause === 'worker_lost',
    );

  await api.deleteCall(deleted);
  expect(await files('tmp/recordings')).toEqual([`${ended}.wav`]);

  // Beside it the recording of a call that another dialer with the same home still has, and one that no row knows.
  await pool.query(`INSERT INTO dialers (id, lease_until) VALUES ('alive', now() + interval '1 hour')`);
  const live = await aCall(pool, await aWorkspace(pool), { owner: 'alive', status: 'in_progress' });
  for (const id of [live, newId()]) await writeFile(join(stack.home, 'tmp/recordings', `${id}.wav`), 'RIFF');
  await chmod(join(stack.home, 'tmp/recordings'), 0o755);
  await stack.add('dialer');
  expect(await files('tmp/recordings')).toEqual([`${live}.wav`]);
  expect(await modeOf('tmp/recordings')).toBe('700');
});

it('a call whose recording exceeds the storage of its account completes without it, and its post-call webhook says why', async () => {
  const limits = { storage_bytes: 1_000 };
  const account = await createAccount(stack, { name: 'initech', webhookUrl: `${sink.url}/hook`, limits });
  const other = await createAccount(stack, { name: 'umbrella', webhookUrl: `${sink.url}/hook` });
  const order = { to_number: `sip:hangup_after_1@127.0.0.1:${phone.port}`, record: true };
  const [full, kept] = await Promise.all(
    [account, other].map(async (one) => (await apiOf(stack, one).createCall(order)).call_id),
  );
  const postCallOf = async (id: string) => {
    await sink.until(() => sink.eventsOf(id).includes('ended'));
    return sink.of(id).find(({ body }) => body.type === 'post-call')?.body.data;
  };

  const says =
    /^The recording was not stored\. The account may store 1,000 bytes and uses 0; a file of [\d,]+ bytes does not fit\.$/;
  expect(await postCallOf(full!)).toMatchObject({
    status: 'completed',
    recording_url: null,
    recording: { url: null, bytes: null, duration_seconds: null, error: expect.stringMatching(says) },
  });
  expect(await apiOf(stack, account).call(full!)).toMatchObject({ status: 'completed', recording_url: null });
  expect(await files(`storage/recordings/${account.accountId}`)).toEqual([]);
  expect(await files('tmp/recordings')).not.toContain(`${full}.wav`);

  expect(await postCallOf(kept!)).toMatchObject({ recording: { url: expect.any(String), error: null } });
  const text = 'SELECT account_id, bytes > 1000 AS used FROM account_storage WHERE account_id = ANY ($1)';
  const { rows } = await pool.query(text, [[account.accountId, other.accountId]]);
  expect(rows.filter(({ used }) => used)).toEqual([{ account_id: other.accountId, used: true }]);
});
