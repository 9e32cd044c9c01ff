import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Pool } from 'pg';
import request from 'supertest';
import { eventually } from '../../support/eventually.js';
import { aCall, aWorkspace, type Workspace } from '../../support/factories.js';
import { Stack } from '../../support/stack.js';

// A worker deletes a minute after its start and then every minute.
let stack: Stack;
let pool: Pool;
let own: Workspace;

beforeAll(async () => {
  stack = await Stack.start({ workers: 0, dialers: 0 });
  pool = new Pool({ connectionString: stack.database.url, max: 2 });
  own = await aWorkspace(pool);
});
afterAll(async () => {
  await pool?.end();
  await stack?.stop();
});

const me = () => request.agent(stack.baseUrl).set('Authorization', `Bearer ${own.token}`);
const fileOf = (key: string) => join(stack.home, 'storage', key);

/** A call that ended some days ago, with a recording and a transcript. */
async function anOldCall(days: number): Promise<{ id: string; key: string }> {
  const at = new Date(Date.now() - days * 86_400_000);
  const key = `recordings/${own.accountId}/${days}-days.wav`;
  await mkdir(dirname(fileOf(key)), { recursive: true });
  await writeFile(fileOf(key), 'RIFF');
  const value = { value: 'Ada', step: 'identify', turn: 1, at_ms: 900 };
  const flow = JSON.stringify({ path: ['identify', 'book'], values: { name: value } });
  const ended = { status: 'completed', answered_at: at, ended_at: at, summary: 'They talked.', event_seq: 1, flow };
  const id = await aCall(pool, own, { ...ended, recording_key: key, recording_bytes: 4 });
  const turn = { role: 'agent', text: 'Hello.', turn: 1, at_ms: 1, started_ms: 1, ended_ms: 2, truncated: false };
  await pool.query(`INSERT INTO call_events (call_id, seq, type, data) VALUES ($1, 1, 'turn', $2)`, [id, turn]);
  return { id, key };
}

it('recordings and transcripts are deleted after the days that the account chose, and the calls stay', async () => {
  await me()
    .patch('/api/v1/account')
    .send({ retention: { recordings_days: 7, transcripts_days: 14 } })
    .expect(200);
  const [oldest, old, recent] = [await anOldCall(15), await anOldCall(8), await anOldCall(6)];
  const shown = async ({ id }: { id: string }) => (await me().get(`/api/v1/calls/${id}`).expect(200)).body.data;
  const said = async ({ id }: { id: string }) => (await me().get(`/api/v1/calls/${id}/transcript`)).text;
  const { recording_url: url } = (await shown(old)) as { recording_url: string };
  const download = () => request(stack.baseUrl).get(url.slice(url.indexOf('/api/')));
  await download().expect(200);

  await stack.add('worker');
  await eventually(
    () => shown(oldest),
    (call) => call.recording_deleted_at !== null && call.transcript_deleted_at !== null,
  );
  const never = { recording_deleted_at: null, transcript_deleted_at: null };
  const gone = { recording_url: null, recording_deleted_at: expect.any(String) };
  expect(await shown(oldest)).toMatchObject({ status: 'completed', summary: null, ...gone });
  expect(await shown(oldest)).toMatchObject({ path: ['identify', 'book'], values: {}, value_evidence: [] });
  expect(await shown(old)).toMatchObject({ path: ['identify', 'book'], values: { name: 'Ada' } });
  expect(await shown(old)).toMatchObject({ ...never, ...gone, summary: 'They talked.' });
  expect(await shown(recent)).toMatchObject({ ...never, recording_url: expect.any(String) });
  await download().expect(404);
  expect([oldest, old, recent].map(({ key }) => existsSync(fileOf(key)))).toEqual([false, false, true]);
  expect(await said(oldest)).not.toContain('Hello.');
  expect(await said(old)).toContain('Hello.');
});
