import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { migrate } from '@app/database';
import { Client } from 'pg';
import { createEmptyDatabase, type TestDatabase } from './support/database.js';

const INDEXES = ['calls_search_callers', 'calls_transfer_live'];

describe('the schema of an installation', () => {
  let database: TestDatabase;
  let client: Client;

  beforeAll(async () => {
    database = await createEmptyDatabase();
    client = new Client({ connectionString: database.url });
    await client.connect();
  });

  afterAll(async () => {
    await client.end();
    await database.drop();
  });

  const usable = async (): Promise<string[]> => {
    const text = `SELECT relname FROM pg_index JOIN pg_class c ON c.oid = indexrelid
      WHERE indisvalid AND relname = ANY ($1::text[]) ORDER BY relname`;
    return (await client.query<{ relname: string }>(text, [INDEXES])).rows.map((row) => row.relname);
  };

  it('is migrated by one of two processes that start at once', async () => {
    const [some, others] = await Promise.all([migrate(database.url), migrate(database.url)]);
    expect([some, others].filter((names) => names.length === 0)).toHaveLength(1);
    expect(await migrate(database.url)).toEqual([]);
    expect(await usable()).toEqual(INDEXES);
  });

  it('has the indexes of its large tables even if their creation was interrupted', async () => {
    await client.query(`UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'calls_transfer_live'::regclass`);
    await client.query('DROP INDEX calls_search_callers');
    await client.query(`DELETE FROM migrations WHERE name LIKE 'LongTableIndexes%'`);
    expect(await migrate(database.url)).toEqual([expect.stringMatching(/^LongTableIndexes/)]);
    expect(await usable()).toEqual(INDEXES);
  });

  it('has the owning agent of each knowledge base that was created before knowledge bases could be shared', async () => {
    await client.query('DROP FUNCTION link_owning_agent() CASCADE');
    await client.query('DROP TABLE knowledge_base_agents');
    await client.query('ALTER TABLE calls DROP COLUMN knowledge_base_ids');
    await client.query(`DELETE FROM migrations WHERE name LIKE 'SharedKnowledge%'`);
    const { rows } = await client.query<{ id: number; agent_id: number }>(
      `WITH account AS (INSERT INTO accounts (name) VALUES ('one') RETURNING id),
        agent AS (INSERT INTO agents (account_id, name) SELECT id, 'one' FROM account RETURNING id, account_id)
       INSERT INTO knowledge_bases (account_id, agent_id, title, source_type, status)
       SELECT account_id, id, 'x', 'text', 'completed' FROM agent RETURNING id, agent_id`,
    );
    expect(await migrate(database.url)).toEqual([expect.stringMatching(/^SharedKnowledge/)]);
    const links = await client.query('SELECT knowledge_base_id AS id, agent_id FROM knowledge_base_agents');
    expect(links.rows).toEqual(rows);
  });

  it('reads calls one by one that were counted before rollups were columns, until their hours are built', async () => {
    await client.query('DROP TABLE analytics_blocks, analytics_hours');
    await client.query('ALTER TABLE analytics_zones DROP COLUMN days_until, DROP COLUMN months_until');
    await client.query('CREATE TABLE analytics_rollups (account_id integer)');
    await client.query(`CREATE FUNCTION add_bins(integer[], integer[]) RETURNS integer[] LANGUAGE sql AS 'SELECT $1'`);
    await client.query(`DELETE FROM migrations WHERE name LIKE 'AnalyticsBlocks%'`);
    await client.query(`INSERT INTO analytics_calls (call_id, account_id, agent_id, number_id, direction, outcome, created_at, ended_at,
        pending, counted)
      SELECT gen_random_uuid(), id, 1, 1, 'inbound', 'completed', at::timestamptz, at::timestamptz, false, true
        FROM accounts, unnest('{2026-03-01T10:59Z,2026-03-01T10:00Z,2026-03-01T11:00Z}'::text[]) AS at`);
    expect(await migrate(database.url)).toEqual([expect.stringMatching(/^AnalyticsBlocks/)]);
    const { rows } = await client.query(`SELECT hour, stale FROM analytics_hours ORDER BY hour`);
    expect(rows).toEqual([
      { hour: new Date('2026-03-01T10:00Z'), stale: true },
      { hour: new Date('2026-03-01T11:00Z'), stale: true },
    ]);
  });
});
