import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { quickRows } from './pipeline.js';
import { Pool, type PoolConfig } from 'pg';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.js';
import { eventually } from '../../../test/support/eventually.js';

const SESSION = { name: 'session', text: 'SELECT pg_backend_pid() AS pid, $1::integer AS n' };
const INVERSE = { name: 'inverse', text: 'SELECT 1 / $1::integer AS n' };

interface Answer extends Record<string, unknown> {
  pid: number;
  n: number;
}

let database: TestDatabase;
let pool: Pool;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const aPool = (options: PoolConfig = {}): Pool => {
  const made = new Pool({ connectionString: database.url, max: 4, pipeline: true, ...options });
  made.on('error', () => {});
  return made;
};

beforeEach(() => {
  pool = aPool();
});
afterEach(() => pool.end());

const ask = async (n: number): Promise<Answer> => (await quickRows<Answer>(pool, SESSION, [n]))[0]!;
const askMany = (count: number): Promise<Answer[]> => Promise.all(Array.from({ length: count }, (_, n) => ask(n)));

describe('quick statements', () => {
  it('go over one connection when they are asked at once, and each gets its own rows', async () => {
    const answers = await askMany(60);
    expect(answers.map(({ n }) => n)).toEqual(answers.map((_, n) => n));
    expect(new Set(answers.map(({ pid }) => pid)).size).toBe(1);
    expect(pool).toMatchObject({ totalCount: 1, idleCount: 1 });
  });

  it('do not queue up endlessly on it: others go over the rest of the pool', async () => {
    const answers = await askMany(500);
    expect(answers.map(({ n }) => n)).toEqual(answers.map((_, n) => n));
    expect(new Set(answers.map(({ pid }) => pid)).size).toBeGreaterThan(1);
    expect(pool.totalCount).toBeLessThanOrEqual(4);
  });

  it('fail alone', async () => {
    const answers = await Promise.allSettled([1, 0, 1, 0].map((n) => quickRows(pool, INVERSE, [n])));
    expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'rejected']);
    expect(answers[1]).toMatchObject({ reason: { message: 'division by zero' } });
    await expect(quickRows(pool, INVERSE, [1])).resolves.toEqual([{ n: 1 }]);
  });

  it('fail with their connection, and the next ones have another', async () => {
    const { pid } = await ask(0);
    const slow = quickRows(pool, { text: 'SELECT pg_sleep(60)' });
    const behind = ask(1);
    const ended = Promise.allSettled([slow, behind]);
    const other = aPool();
    const isActive = `SELECT 1 FROM pg_stat_activity WHERE pid = $1 AND state = 'active'`;
    await eventually(
      () => other.query(isActive, [pid]),
      ({ rowCount }) => rowCount === 1,
    );
    await other.query('SELECT pg_terminate_backend($1)', [pid]);
    await other.end();
    expect((await ended).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect((await ask(2)).pid).not.toBe(pid);
    expect(pool.totalCount).toBe(1);
  });

  it('give up a connection that does not answer', async () => {
    await pool.end();
    pool = aPool({ max: 1, query_timeout: 300 });
    const { pid } = await ask(0);
    await expect(quickRows(pool, { text: 'SELECT pg_sleep(60)' })).rejects.toThrow('Query read timeout');
    expect((await ask(1)).pid).not.toBe(pid);
  });

  it('leave the last connection to those who wait for it', async () => {
    await pool.end();
    pool = aPool({ max: 1 });
    const over = new AbortController();
    let answered = 0;
    const endless = async (): Promise<void> => {
      for (; !over.signal.aborted; answered += 1) await quickRows(pool, { text: 'SELECT pg_sleep(0.002)' });
    };
    // Something is always under way: they are answered 2 ms apart.
    const busy = Array.from({ length: 8 }, endless);
    await ask(0);
    answered = 0;
    await pool.query('SELECT 1');
    expect(answered).toBeLessThanOrEqual(busy.length);
    over.abort();
    await Promise.all(busy);
  });

  it('say so when there is no database', async () => {
    await pool.end();
    pool = new Pool({ host: '127.0.0.1', port: 1, pipeline: true });
    await expect(ask(1)).rejects.toThrow('ECONNREFUSED');
  });

  it('join a transaction as any other', async () => {
    const client = await pool.connect();
    try {
      await client.query('BEGIN');
      await client.query('CREATE TEMPORARY TABLE seen (n integer) ON COMMIT DROP');
      await client.query('INSERT INTO seen VALUES (5)');
      expect(await quickRows(client, { text: 'SELECT n FROM seen' })).toEqual([{ n: 5 }]);
      await client.query('COMMIT');
    } finally {
      client.release();
    }
  });
});
