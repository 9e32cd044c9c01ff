import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { migrate } from './migrate.js';
import { Client } from 'pg';
import { createEmptyDatabase, type TestDatabase } from '../../../test/support/database.js';

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

  it('lists the failed deliveries of the previous release, and updates delivered ones without writing to an index', async () => {
    await client.query(`DELETE FROM migrations WHERE name LIKE 'HeapOnlyDeliveries%'`);
    await client.query('DROP FUNCTION set_rare_state CASCADE');
    await client.query('ALTER TABLE webhook_deliveries DROP COLUMN rare_state');
    await client.query(
      `WITH account AS (INSERT INTO accounts (name) VALUES ('two') RETURNING id),
        stream AS (INSERT INTO webhook_streams (account_id, url, host) SELECT id, 'http://a', 'a' FROM account RETURNING id, account_id)
       INSERT INTO webhook_deliveries (id, stream_id, account_id, type, event, sequence, method, url, body, state)
       SELECT gen_random_uuid(), id, account_id, 'test', 'test', 1, 'POST', 'http://a', '', unnest(ARRAY['pending', 'delivered', 'dead', 'slow'])
         FROM stream`,
    );
    expect(await migrate(database.url)).toEqual([expect.stringMatching(/^HeapOnlyDeliveries/)]);
    const rare = async (): Promise<unknown[]> =>
      (await client.query('SELECT state, rare_state FROM webhook_deliveries WHERE rare_state IS NOT NULL ORDER BY 1'))
        .rows;
    const both = [
      { state: 'dead', rare_state: 'dead' },
      { state: 'slow', rare_state: 'slow' },
    ];
    expect(await rare()).toEqual(both);
    await client.query(`UPDATE webhook_deliveries SET state = 'refused' WHERE state = 'pending'`);
    expect(await rare()).toEqual([both[0], { state: 'refused', rare_state: 'refused' }, both[1]]);
    await client.query(`UPDATE webhook_deliveries SET state = 'delivered'`);
    expect(await rare()).toEqual([]);

    const indexed = await client.query(
      `SELECT indexdef FROM pg_indexes WHERE tablename = 'webhook_deliveries'
         AND indexdef ~ '[ (](state|attempts|slow_tries|last_status|last_error|next_at|delivered_at|request_sealed)[ ,)]'`,
    );
    expect(indexed.rows).toEqual([]);
  });
});
