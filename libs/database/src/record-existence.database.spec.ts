import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Pool } from 'pg';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.js';
import { databaseOver } from '../../../test/support/database-over.js';
import { aCall, aWorkspace, type Workspace } from '../../../test/support/factories.js';
import { RecordExistenceRepository } from './record-existence.repository.js';
import { inTransaction } from './statement.js';

let database: TestDatabase;
let pool: Pool;
let records: RecordExistenceRepository;
let own: Workspace;
let other: Workspace;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = new Pool({ connectionString: database.url, max: 4 });
  // The database is dropped while the server still reads our goodbye.
  pool.on('error', () => undefined);
  records = new RecordExistenceRepository(databaseOver(pool));
  [own, other] = [await aWorkspace(pool), await aWorkspace(pool)];
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

describe('records of an account', () => {
  it('are found by their keys, those of other accounts are not', async () => {
    const { accountId, agentId } = own;
    expect(await records.exists(accountId, { table: 'agents', id: agentId })).toBe(true);
    expect(await records.exists(accountId, { table: 'agents', id: other.agentId })).toBe(false);
    const found = await records.existing(accountId, 'agents', [agentId, other.agentId, 0]);
    expect([...found]).toEqual([agentId]);
  });

  it('are locked against changes, those of other accounts are not', async () => {
    await inTransaction(pool, async (tx) => {
      expect(await records.lock(own.accountId, 'agents', own.agentId, tx)).toBe(true);
      expect(await records.lock(own.accountId, 'agents', other.agentId, tx)).toBe(false);
      const change = (id: number) =>
        inTransaction(pool, async (second) => {
          await second.query(`SET LOCAL lock_timeout = '20ms'`);
          await second.query('UPDATE agents SET updated_at = now() WHERE id = $1', [id]);
        });
      await expect(change(own.agentId)).rejects.toThrow('lock timeout');
      await change(other.agentId);
    });
  });

  it('are created one after the other while their account is locked, and calls meanwhile', async () => {
    await inTransaction(pool, async (tx) => {
      await records.lockAccount(own.accountId, tx);
      const second = inTransaction(pool, async (waiting) => {
        await waiting.query(`SET LOCAL lock_timeout = '20ms'`);
        await records.lockAccount(own.accountId, waiting);
      });
      await expect(second).rejects.toThrow('lock timeout');
      await aCall(pool, own, {});
    });
  });
});
