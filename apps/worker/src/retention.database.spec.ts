import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { AccountLimitsService } from '@app/accounts';
import { InvariantsRepository } from '@app/database';
import { openStorage, Storage } from '@app/storage';
import { WebhookRetentionService } from '@app/webhooks';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { InProcessApi } from '../../../test/support/in-process-api.js';
import { eventually } from '../../../test/support/eventually.js';
import { aCall, aWorkspace, type Workspace } from '../../../test/support/factories.js';
import { LogLines } from '../../../test/support/log-lines.js';
import { retentionOf } from '../../../test/support/retention.js';
import { statementsOf } from '../../../test/support/statements-of.js';

const DAY_MS = 86_400_000;
const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS);
const logs = new LogLines();

let api: InProcessApi;
let storage: Storage;
/** Keeps recordings 7, transcripts 14, deliveries 20 and documents 30 days. */
let brief: Workspace;
/** Keeps everything but deliveries, which is the default. */
let eternal: Workspace;

beforeAll(async () => {
  api = await InProcessApi.start();
  storage = openStorage({ TRUNKLINE_HOME: api.home });
  brief = await aWorkspace(api.pool, {
    recordings_days: 7,
    transcripts_days: 14,
    deliveries_days: 20,
    documents_days: 30,
  });
  eternal = await aWorkspace(api.pool);
});
afterAll(() => api.stop());

async function clean(storedIn = storage): Promise<void> {
  const deletes = jest.spyOn(api.app.get(Storage), 'delete').mockImplementation((key) => storedIn.delete(key));
  await retentionOf(api.app, logs.log).deleteExpired();
  deletes.mockRestore();
}

async function put(storedIn: Storage, key: string): Promise<void> {
  const local = join(api.home, 'local');
  await writeFile(local, 'RIFF');
  await storedIn.put(key, local);
}

async function anOldCall(own: Workspace, days: number, storedIn = storage): Promise<{ id: string; key: string }> {
  const key = `recordings/${own.accountId}/${days}-days.wav`;
  await put(storedIn, key);
  const id = await aCall(api.pool, own, {
    status: 'completed',
    ended_at: daysAgo(days),
    answered_at: daysAgo(days),
    recording_key: key,
    recording_bytes: 4,
    summary: 'They talked.',
  });
  const events = [
    ['status', { status: 'in_progress' }],
    ['turn', { role: 'agent', text: 'Hello.' }],
    ['dtmf_received', { digit: '4' }],
    ['dtmf_input', { digits: '4711' }],
    ['dtmf_sent', { digits: '12' }],
    ['tool_call', { name: 'ask', arguments: {} }],
    ['status', { status: 'completed' }],
  ];
  for (const [at, [type, data]] of events.entries())
    await api.pool.query('INSERT INTO call_events (call_id, seq, type, data) VALUES ($1, $2, $3, $4)', [
      id,
      at + 1,
      type,
      data,
    ]);
  return { id, key };
}

async function aDelivery(
  own: Workspace,
  callId: string,
  days: number,
  state = 'delivered',
  type = 'call-status',
): Promise<string> {
  const stream = await api.pool.query(
    `INSERT INTO webhook_streams (account_id, call_id, url, host) VALUES ($1, $2, $3, 'example.com') RETURNING id`,
    [own.accountId, callId, `https://example.com/${days}/${state}/${type}`],
  );
  const { rows } = await api.pool.query<{ id: string }>(
    `INSERT INTO webhook_deliveries (id, stream_id, account_id, call_id, type, event, sequence, method, url, body, state, created_at)
     VALUES (gen_random_uuid(), $1, $2, $3, $6, 'ringing', 1, 'POST', 'https://example.com', '{}', $4, $5) RETURNING id`,
    [stream.rows[0].id, own.accountId, callId, state, daysAgo(days), type],
  );
  await api.pool.query(`INSERT INTO webhook_attempts (delivery_id, attempt, latency_ms) VALUES ($1, 1, 5)`, [
    rows[0]!.id,
  ]);
  return rows[0]!.id;
}

async function count(table: string, where: string, value: unknown): Promise<number> {
  const { rows } = await api.pool.query<{ n: number }>(`SELECT count(*)::integer AS n FROM ${table} WHERE ${where}`, [
    value,
  ]);
  return rows[0]!.n;
}

const shown = async (own: Workspace, id: string) => (await api.as(own.token).get(`/api/v1/calls/${id}`)).body.data;
const fileOf = (key: string) => join(api.home, 'storage', key);

describe('what an account wants kept for a time only', () => {
  it('a transcript goes with summary, keys and tool calls; the course of the call stays', async () => {
    const [old, kept] = [await anOldCall(brief, 15), await anOldCall(eternal, 15)];
    await api.pool.query(
      `INSERT INTO tool_invocations (id, account_id, agent_id, tool_id, tool_name, call_id, source, arguments, ended_at)
       VALUES (gen_random_uuid(), $1, $2, 1, 'ask', $3, 'call', '{}', now())`,
      [brief.accountId, brief.agentId, old.id],
    );
    const types = ['call-status', 'post-call', 'tool-action'];
    for (const type of types) await aDelivery(brief, old.id, 15, 'delivered', type);
    await clean();
    const { rows } = await api.pool.query('SELECT type FROM webhook_deliveries WHERE call_id = $1', [old.id]);
    expect(rows).toEqual([{ type: 'call-status' }]);
    const events = async ({ id }: { id: string }) =>
      (await api.pool.query<{ type: string }>('SELECT type FROM call_events WHERE call_id = $1 ORDER BY seq', [id]))
        .rows;
    expect((await events(old)).map(({ type }) => type)).toEqual(['status', 'status']);
    expect(await events(kept)).toHaveLength(7);
    expect(await count('tool_invocations', 'call_id = $1', old.id)).toBe(0);
    expect(await count('calls', 'id = $1 AND summary IS NOT NULL', old.id)).toBe(0);
    expect((await shown(brief, old.id)).transcript_deleted_at).toEqual(expect.any(String));
    expect((await shown(eternal, kept.id)).transcript_deleted_at).toBeNull();
  });

  it('a transcript waits until nothing of its call is delivered any more', async () => {
    const { id } = await anOldCall(brief, 16);
    const delivery = await aDelivery(brief, id, 16, 'slow', 'post-call');
    await clean();
    expect((await shown(brief, id)).transcript_deleted_at).toBeNull();
    await api.pool.query(`UPDATE webhook_deliveries SET state = 'delivered' WHERE id = $1`, [delivery]);
    await clean();
    expect((await shown(brief, id)).transcript_deleted_at).toEqual(expect.any(String));
    expect(await count('webhook_deliveries', 'call_id = $1', id)).toBe(0);
  });

  it('deliveries go with their attempts and their stream, but for those that are still tried', async () => {
    const { id } = await anOldCall(brief, 1);
    const old = await aDelivery(brief, id, 21);
    const dead = await aDelivery(brief, id, 21, 'dead');
    const open = await aDelivery(brief, id, 21, 'slow');
    const recent = await aDelivery(brief, id, 19);
    const beside = await aDelivery(brief, id, 18);
    await api.pool.query(
      'UPDATE webhook_deliveries SET stream_id = (SELECT stream_id FROM webhook_deliveries WHERE id = $1) WHERE id = $2',
      [old, beside],
    );
    const others = await aDelivery(eternal, (await anOldCall(eternal, 1)).id, 29);
    const beyond = await aDelivery(eternal, (await anOldCall(eternal, 2)).id, 31);
    await clean();
    const left = async (ids: string[]) =>
      (await api.pool.query('SELECT 1 FROM webhook_deliveries WHERE id = ANY ($1::uuid[])', [ids])).rowCount;
    expect([await left([old, dead, beyond]), await left([open, recent, beside, others])]).toEqual([0, 4]);
    expect(await count('webhook_attempts', 'delivery_id = ANY ($1::uuid[])', [old, dead, open])).toBe(1);
    const streams = 'id IN (SELECT stream_id FROM webhook_deliveries WHERE call_id = $1)';
    expect(await count('webhook_streams', streams, id)).toBe(3);
    // And the one that `beside` was written to, whose turn has not come.
    expect(await count('webhook_streams', 'call_id = $1', id)).toBe(4);
  });

  it('expired deliveries are found by an index while receivers are down and nearly all deliveries are open', async () => {
    const waiting = await aWorkspace(api.pool);
    const { id } = await anOldCall(waiting, 1);
    const one = await aDelivery(waiting, id, 1, 'pending');
    await api.pool.query(
      `INSERT INTO webhook_deliveries (id, stream_id, account_id, call_id, type, event, sequence, method, url, body, state)
       SELECT gen_random_uuid(), stream_id, account_id, call_id, type, event, sequence, method, url, body, state
         FROM webhook_deliveries, generate_series(1, 20000) WHERE id = $1`,
      [one],
    );
    await api.pool.query('VACUUM ANALYZE webhook_deliveries');
    const periods = await api.app.get(AccountLimitsService).retentionPeriods('deliveries');
    expect(periods).toContainEqual({ accountId: waiting.accountId, days: 30 });
    const deleting = () => api.app.get(WebhookRetentionService).deleteExpiredDeliveries(periods);
    const [sent] = await statementsOf(api.pool, deleting);
    const explained = { text: `EXPLAIN ${sent!.text}`, values: sent!.values };
    const { rows } = await api.pool.query<{ 'QUERY PLAN': string }>(explained);
    expect(rows.map((row) => row['QUERY PLAN']).join('\n')).not.toContain('Seq Scan on webhook_deliveries');
  });

  it('documents go with their file and their passages, and the audit log says so', async () => {
    const path = `/api/v1/agents/${brief.agentId}/knowledge-bases`;
    const upload = (title: string) =>
      api.as(brief.token).post(path).field({ title, source_type: 'file' }).attach('file', Buffer.from(title), 'a.txt');
    const [old, recent] = [(await upload('Old')).body.data.id, (await upload('Recent')).body.data.id];
    await api.pool.query(
      `UPDATE knowledge_bases SET status = 'completed', updated_at = now() - $2 * interval '1 day' WHERE id = $1`,
      [old, 31],
    );
    const keyOf = async (id: number) =>
      String((await api.pool.query('SELECT file_key FROM knowledge_bases WHERE id = $1', [id])).rows[0]?.file_key);
    const [oldKey, recentKey] = [await keyOf(old), await keyOf(recent)];
    await clean();
    expect([oldKey, recentKey].map((key) => existsSync(fileOf(key)))).toEqual([false, true]);
    expect((await api.as(brief.token).get(`${path}/${old}`)).status).toBe(404);
    const audit = await api.pool.query(`SELECT actor_kind, action FROM audit_events WHERE subject_id = $1`, [
      String(old),
    ]);
    expect(audit.rows).toContainEqual({ actor_kind: 'system', action: 'knowledge_base.deleted' });
  });

  it('a storage that is away keeps the row, the others go on, and the next round finds the rest', async () => {
    const { id, key } = await anOldCall(brief, 40);
    const away = Object.assign(Object.create(storage) as Storage, {
      delete: () => Promise.reject(new Error('The storage is away.')),
    });
    await clean(away);
    expect(
      await count('calls', 'id = $1 AND recording_key IS NOT NULL AND transcript_deleted_at IS NOT NULL', id),
    ).toBe(1);
    expect(await api.app.get(InvariantsRepository).countBroken('retention_overdue')).toBe(1);
    await clean();
    expect(existsSync(fileOf(key))).toBe(false);
    expect(await api.app.get(InvariantsRepository).countBroken('retention_overdue')).toBe(0);
  });

  it('a file that cannot be deleted keeps nothing else, and is tried again', async () => {
    // The oldest of all, and more of them than a chunk takes of one account.
    const stuck: Awaited<ReturnType<typeof anOldCall>>[] = [];
    for (let n = 0; n < 60; n++) stuck.push(await anOldCall(brief, 600 + n));
    const path = `/api/v1/agents/${brief.agentId}/knowledge-bases`;
    const documents = await Promise.all(
      ['Stuck', 'Free'].map(async (title) => {
        const form = { title, source_type: 'file' };
        const { body } = await api
          .as(brief.token)
          .post(path)
          .field(form)
          .attach('file', Buffer.from(title), `${title}.txt`);
        const { rows } = await api.pool.query<{ key: string }>(
          `UPDATE knowledge_bases SET status = 'completed', updated_at = now() - $2 * interval '1 day'
            WHERE id = $1 RETURNING file_key AS key`,
          [body.data.id, title === 'Stuck' ? 60 : 40],
        );
        return { id: body.data.id as number, key: rows[0]!.key };
      }),
    );
    const newer = await anOldCall(brief, 41);
    const held = new Set([...stuck.map(({ key }) => key), documents[0]!.key]);
    const refusing = Object.assign(Object.create(storage) as Storage, {
      delete: (key: string) =>
        held.has(key) ? Promise.reject(new Error('operation not permitted')) : storage.delete(key),
    });
    await clean(refusing);
    expect(existsSync(fileOf(newer.key))).toBe(false);
    const statuses = documents.map(async ({ id }) => (await api.as(brief.token).get(`${path}/${id}`)).status);
    expect(await Promise.all(statuses)).toEqual([200, 404]);
    const ids = stuck.map(({ id }) => id);
    expect(await count('calls', 'id = ANY ($1::uuid[]) AND recording_key IS NOT NULL', ids)).toBe(60);
    await clean();
    expect(await count('calls', 'id = ANY ($1::uuid[]) AND recording_key IS NOT NULL', ids)).toBe(0);
    expect(existsSync(fileOf(documents[0]!.key))).toBe(false);
  });

  it('a delivery that is replayed while it is deleted keeps its promise', async () => {
    const { id } = await anOldCall(brief, 1);
    const old = await aDelivery(brief, id, 25);
    const replay = await api.pool.connect();
    await replay.query('BEGIN');
    await replay.query(`UPDATE webhook_deliveries SET state = 'pending', next_at = now() WHERE id = $1`, [old]);
    const cleaning = clean();
    const waits = `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%webhook_deliveries%'`;
    await eventually(
      async () => (await api.pool.query(waits)).rowCount,
      (waiting) => waiting === 1,
    );
    await replay.query('COMMIT');
    replay.release();
    await cleaning;
    expect(await count('webhook_deliveries', 'id = $1', old)).toBe(1);
  });

  it('a backlog larger than a round queues the next round, which begins a second later', async () => {
    await api.pool.query(
      `INSERT INTO calls (id, account_id, agent_id, number_id, status, to_number, from_number, agent_name, ended_at)
       SELECT gen_random_uuid(), account_id, agent_id, number_id, status, to_number, from_number, agent_name, $2
         FROM calls, generate_series(1, 1020) WHERE id = $1`,
      [await aCall(api.pool, brief, { status: 'failed', ended_at: daysAgo(1) }), daysAgo(20)],
    );
    const left = () =>
      count(
        'calls',
        `account_id = $1 AND ended_at < now() - interval '15 days' AND transcript_deleted_at IS NULL`,
        brief.accountId,
      );
    const queued: unknown[] = [];
    const retention = retentionOf(api.app, logs.log, { wakeNext: (...next) => void queued.push(next) });
    await retention.deleteExpired();
    expect([await left(), queued]).toEqual([20, [['retention', 1_000]]]);
    await retention.deleteExpired();
    expect([await left(), queued.length]).toEqual([0, 1]);
  });
});
