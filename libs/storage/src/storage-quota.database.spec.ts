import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { StorageQuotaService } from '@app/accounts';
import { WorkspaceService, WorkspaceModule } from '@app/workspace';
import { openStorage } from './open-storage.js';
import { readdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { InProcessApi } from '../../../test/support/in-process-api.js';
import { eventually } from '../../../test/support/eventually.js';
import { aCall, anAgent, aWorkspace, type Workspace } from '../../../test/support/factories.js';
import { LogLines } from '../../../test/support/log-lines.js';
import { retentionOf } from '../../../test/support/retention.js';
import { openServices } from '../../../test/support/services.js';

const THOUSAND = Buffer.alloc(1_000, 'x');

let api: InProcessApi;

beforeAll(async () => {
  api = await InProcessApi.start({ DATABASE_POOL: '20' });
});
afterAll(() => api.stop());

const pathOf = (agentId: number) => `/api/v1/agents/${agentId}/knowledge-bases`;
const upload = (own: Workspace, file = THOUSAND, { agentId = own.agentId, headers = {} } = {}) =>
  api
    .as(own.token)
    .post(pathOf(agentId))
    .set(headers)
    .field({ title: 'Terms', source_type: 'file' })
    .attach('file', file, 'terms.txt');

/** The account's byte counter; null: there is none. */
async function counted({ accountId }: Workspace): Promise<number | null> {
  const text = 'SELECT bytes FROM account_storage WHERE account_id = $1';
  const { rows } = await api.pool.query<{ bytes: string }>(text, [accountId]);
  return rows[0] ? Number(rows[0].bytes) : null;
}

async function aRecordedCall(own: Workspace, bytes: number, row: Record<string, unknown> = {}): Promise<string> {
  const key = `recordings/${own.accountId}/${bytes}.wav`;
  await writeFile(join(api.home, 'local'), 'RIFF');
  await openStorage({ TRUNKLINE_HOME: api.home }).put(key, join(api.home, 'local'));
  const ended = { status: 'completed', ended_at: new Date(), recording_key: key, recording_bytes: bytes };
  return aCall(api.pool, own, { ...ended, ...row });
}

const storedFiles = ({ accountId }: Workspace): string[] =>
  readdirSync(join(api.home, 'storage', 'knowledge', String(accountId)));

describe('the storage limit of an account', () => {
  it('refuses an upload that does not fit, and accepts it after a deletion', async () => {
    const own = await aWorkspace(api.pool, { storage_bytes: 2_500 });
    const [first, second] = [await upload(own), await upload(own)];
    expect([first.status, second.status]).toEqual([201, 201]);

    const refused = await upload(own);
    expect(refused.status).toBe(422);
    const sentence =
      'The account may store 2,500 bytes and uses 2,000; a file of 1,000 bytes does not fit. Delete files or recordings first.';
    expect(refused.body.errors).toEqual({ file: [sentence] });
    expect(storedFiles(own)).toHaveLength(2);
    expect(readdirSync(join(api.home, 'uploads'))).toEqual([]);
    expect((await upload(own, THOUSAND.subarray(0, 500))).status).toBe(201);

    expect((await api.as(own.token).delete(`${pathOf(own.agentId)}/${first.body.data.id}`)).status).toBe(200);
    expect((await upload(own)).status).toBe(201);
    expect(await counted(own)).toBe(2_500);
  });

  it('counts recordings with the files, until a call is deleted or its recording expires', async () => {
    const own = await aWorkspace(api.pool, { storage_bytes: 1_000, recordings_days: 7 });
    const id = await aRecordedCall(own, 400);
    await aRecordedCall(own, 300, { ended_at: new Date(Date.now() - 8 * 86_400_000) });
    expect(await counted(own)).toBe(700);
    expect((await upload(own)).status).toBe(422);

    await retentionOf(api.app, new LogLines().log).deleteExpired();
    expect(await counted(own)).toBe(400);
    expect((await api.as(own.token).delete(`/api/v1/calls/${id}`)).status).toBe(200);
    expect((await upload(own)).status).toBe(201);
  });

  it("does not count another account's files, texts and URLs", async () => {
    const full = await aWorkspace(api.pool, { storage_bytes: 1_000 });
    const other = await aWorkspace(api.pool, { storage_bytes: 1_000 });
    await aRecordedCall(full, 1_000);
    expect((await upload(full)).status).toBe(422);
    expect((await upload(other)).status).toBe(201);
    const text = { title: 'Hours', source_type: 'text', content: 'Open from nine to five.' };
    expect((await api.as(full.token).post(pathOf(full.agentId)).send(text)).status).toBe(201);
    const url = { title: 'Page', source_type: 'url', source_reference: 'http://127.0.0.1:9/' };
    expect((await api.as(full.token).post(pathOf(full.agentId)).send(url)).status).toBe(201);
    expect([await counted(full), await counted(other)]).toEqual([1_000, 1_000]);
  });

  it('is not exceeded by concurrent uploads that would each fit', async () => {
    const own = await aWorkspace(api.pool, { storage_bytes: 3_500 });
    expect((await upload(own)).status).toBe(201);
    const agents = await Promise.all(Array.from({ length: 4 }, () => anAgent(api.pool, own.accountId)));
    const holder = await api.pool.connect();
    await holder.query('BEGIN');
    await holder.query('SELECT 1 FROM account_storage WHERE account_id = $1 FOR UPDATE', [own.accountId]);
    const uploads = agents.map((agentId) => upload(own, THOUSAND, { agentId }).then((answer) => answer));
    const waits = `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`;
    try {
      await eventually(
        async () => (await api.pool.query(waits)).rowCount,
        (waiting) => waiting === 4,
      );
    } finally {
      await holder.query('COMMIT');
      holder.release();
    }
    const answers = await Promise.all(uploads);
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 201, 422, 422]);
    const refused = answers.find(({ status }) => status === 422);
    expect(refused?.body.errors).toEqual({ file: [expect.stringContaining('uses 3,000')] });
    expect(await counted(own)).toBe(3_000);
    expect(storedFiles(own)).toHaveLength(3);
  });

  it('accepts the repetition of an accepted upload', async () => {
    const own = await aWorkspace(api.pool, { storage_bytes: 1_000 });
    const headers = { 'Idempotency-Key': 'the-last-file' };
    const first = await upload(own, THOUSAND, { headers });
    const again = await upload(own, THOUSAND, { headers });
    expect([first.status, again.status]).toEqual([201, 201]);
    expect(again.body.data.id).toBe(first.body.data.id);
    expect(await counted(own)).toBe(1_000);
  });

  it('is recounted for accounts whose files are older than the counter, and once a week', async () => {
    const own = await aWorkspace(api.pool, { storage_bytes: 5_000 });
    await upload(own);
    await aRecordedCall(own, 300);
    await api.pool.query('DELETE FROM account_storage WHERE account_id = $1', [own.accountId]);
    const empty = await aWorkspace(api.pool);
    await api.app.get(StorageQuotaService).recount();
    expect([await counted(own), await counted(empty)]).toEqual([1_300, 0]);

    const wrong = (days: number) =>
      api.pool.query(
        `UPDATE account_storage SET bytes = 7, counted_at = now() - $2 * interval '1 day' WHERE account_id = $1`,
        [own.accountId, days],
      );
    await wrong(6);
    await api.app.get(StorageQuotaService).recount();
    expect(await counted(own)).toBe(7);
    await wrong(8);
    await api.app.get(StorageQuotaService).recount();
    expect(await counted(own)).toBe(1_300);
  });

  it('counts a file exactly once if it is stored during a recount', async () => {
    const own = await aWorkspace(api.pool);
    await upload(own);
    const late = await api.pool.connect();
    await late.query('BEGIN');
    await late.query('UPDATE knowledge_bases SET file_size = file_size + 50 WHERE account_id = $1', [own.accountId]);
    await api.app.get(StorageQuotaService).recount();
    expect(await counted(own)).toBe(1_000);
    await late.query('COMMIT');
    late.release();
    expect(await counted(own)).toBe(1_050);
  });

  it('is set in the workspace file, is 50 GiB for new accounts, and can be removed', async () => {
    const services = await openServices({ DATABASE_URL: api.databaseUrl }, [WorkspaceModule]);
    const limitAfter = async (limits: string) => {
      await services.get(WorkspaceService).apply(`accounts: [{ name: limited${limits} }]`, 'w.yaml');
      const { rows } = await api.pool.query(`SELECT storage_bytes FROM accounts WHERE name = 'limited'`);
      return rows[0].storage_bytes as string | null;
    };
    try {
      expect(await limitAfter('')).toBe('53687091200');
      expect(await limitAfter(', limits: { storage_bytes: 1000000 }')).toBe('1000000');
      expect(await limitAfter(', limits: { concurrent_calls: 3 }')).toBe('1000000');
      expect(await limitAfter(', limits: { storage_bytes: null }')).toBeNull();
      await expect(limitAfter(', limits: { storage_bytes: -1 }')).rejects.toThrow('storage_bytes');
      const audit = await api.pool.query(
        `SELECT details -> 'storage_bytes' AS change FROM audit_events e JOIN accounts a ON a.id = e.account_id
          WHERE a.name = 'limited' AND action = 'limits.changed' AND details ? 'storage_bytes' ORDER BY e.id`,
      );
      expect(audit.rows).toEqual([
        { change: { from: '53687091200', to: '1000000' } },
        { change: { from: '1000000', to: null } },
      ]);
    } finally {
      await services.close();
    }
  });
});
