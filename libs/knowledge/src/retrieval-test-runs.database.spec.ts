import { inTransaction } from '@app/database';
import { TestRunsRepository } from './retrieval-tests/test-runs.repository.js';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Pool } from 'pg';
import { databaseOver } from '../../../test/support/database-over.js';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.js';
import { aWorkspace, type Workspace } from '../../../test/support/factories.js';
import { aGeneration, aKnowledgeBase, chunksOf, serve } from '../../../test/support/knowledge-rows.js';

const LEASE_MS = 60_000;

let database: TestDatabase;
let pool: Pool;
let runs: TestRunsRepository;
let [first, second]: Workspace[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  pool = new Pool({ connectionString: database.url, max: 4 });
  runs = new TestRunsRepository(databaseOver(pool));
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});
beforeEach(async () => {
  await pool.query('DELETE FROM knowledge_test_runs');
  [first, second] = [await aWorkspace(pool), await aWorkspace(pool)];
});

const markDue = (agent: { accountId: number; agentId: number }) => inTransaction(pool, (tx) => runs.markDue(agent, tx));

async function anotherAgent({ accountId, agentId }: Workspace): Promise<{ accountId: number; agentId: number }> {
  const columns = await pool.query<{ names: string }>(
    `SELECT string_agg(quote_ident(column_name), ', ') AS names FROM information_schema.columns
      WHERE table_name = 'agents' AND column_name NOT IN ('id', 'name') AND is_generated = 'NEVER'`,
  );
  const names = columns.rows[0]!.names;
  const { rows } = await pool.query<{ id: number }>(
    `INSERT INTO agents (name, ${names}) SELECT name || ' 2', ${names} FROM agents WHERE id = $1 RETURNING id`,
    [agentId],
  );
  return { accountId, agentId: rows[0]!.id };
}

/** Claims the next run as a worker that last worked for this account. */
const claim = (after = 0) => runs.claim('worker', LEASE_MS, after);

/** All waiting is over. */
const makeDue = () =>
  pool.query(`UPDATE knowledge_test_runs SET due_at = now() - interval '1 s' WHERE due_at IS NOT NULL`);

describe('a due run of tests', () => {
  it('goes to one worker; the accounts take turns, however many agents one has', async () => {
    const sibling = await anotherAgent(first!);
    for (const agent of [first!, sibling, second!]) await markDue(agent);
    const [one, two, none] = [await claim(), await claim(), await claim()];
    expect([one?.account_id, two?.account_id, none]).toEqual([first!.accountId, second!.accountId, undefined]);
    await runs.end(one!);
    await markDue({ accountId: first!.accountId, agentId: one!.agent_id });
    await runs.end(two!);
    await markDue(second!);
    const [three, four] = [await claim(first!.accountId), await claim(second!.accountId)];
    expect([three?.account_id, four?.account_id]).toEqual([second!.accountId, first!.accountId]);
    expect(four?.agent_id).toBe(sibling.agentId);
  });

  it('is repeated if its worker died', async () => {
    await markDue(first!);
    const lost = await claim();
    expect(await claim()).toBeUndefined();
    await makeDue();
    const again = await claim();
    expect(again?.agent_id).toBe(lost!.agent_id);
  });

  it('is over when it ends, unless something changed during it', async () => {
    await markDue(first!);
    await runs.end((await claim())!);
    await makeDue();
    expect(await claim()).toBeUndefined();
    await markDue(first!);
    const run = await claim();
    await markDue(first!);
    await runs.end(run!);
    expect((await claim())?.agent_id).toBe(first!.agentId);
  });

  it('is repeated later if it failed', async () => {
    await markDue(first!);
    await runs.end((await claim())!, 30_000);
    expect(await claim()).toBeUndefined();
    await makeDue();
    expect((await claim())?.agent_id).toBe(first!.agentId);
  });

  it('follows each change of the knowledge of an agent with tests, and of no other agent', async () => {
    await markDue(first!);
    await runs.end((await claim())!);
    for (const agent of [first!, second!])
      await serve(pool, await aGeneration(pool, agent, await aKnowledgeBase(pool, agent), chunksOf(['text'])));
    // Changes within a second share a run.
    expect(await claim()).toBeUndefined();
    await makeDue();
    expect((await claim())?.agent_id).toBe(first!.agentId);
    expect(await claim()).toBeUndefined();
  });
});
