import type { AgentOfAccount } from '@app/common';
import { Database, type Sql } from '@app/database';
import { Injectable } from '@nestjs/common';
import type { TestOutcome } from './expectation.js';

/** An active test, as a run needs it. */
export interface RunnableTest {
  id: number;
  revision: number;
  questions: string[];
  text: string | null;
  source: string | null;
  knowledgeBaseId: number | null;
  within: number;
}

/** A claimed run of all tests of an agent. */
export interface TestRunClaim {
  account_id: number;
  agent_id: number;
  /** The changes that the run covers; more by its end make the next run due. */
  changes: string;
  lease_owner: string;
}

/** A result, and the test that it belongs to. */
export interface TestResult extends TestOutcome {
  test: RunnableTest;
}

/** The knowledge base and the generation that would be served. */
interface RefreshedDocument {
  id: number;
  account_id: number;
}

const ACTIVE = {
  name: 'active-knowledge-tests',
  text: `SELECT id, revision, questions, expected_text AS text, expected_source AS source,
      expected_knowledge_base_id AS "knowledgeBaseId", within
    FROM knowledge_tests WHERE account_id = $1 AND agent_id = $2 AND is_active ORDER BY id`,
};

/** The agents whose searches a new generation of the knowledge base would change, if they have tests. */
const AGENTS_OF = {
  name: 'tested-agents-of-knowledge-base',
  text: `SELECT DISTINCT l.account_id AS "accountId", l.agent_id AS "agentId" FROM knowledge_bases b
      JOIN knowledge_base_agents l ON l.knowledge_base_id = b.id AND l.account_id = b.account_id
      JOIN knowledge_tests t ON t.account_id = l.account_id AND t.agent_id = l.agent_id AND t.is_active
    WHERE b.account_id = $1 AND b.id = $2 AND b.is_active`,
};

const MARK_DUE = {
  name: 'mark-test-run-due',
  text: `INSERT INTO knowledge_test_runs AS r (account_id, agent_id, changes, due_at) VALUES ($1, $2, 1, now())
    ON CONFLICT (agent_id) DO UPDATE SET changes = r.changes + 1, due_at = coalesce(r.due_at, now())`,
};

/**
 * The next account after the given one with a due run and without a current one: accounts take turns, however many agents they have. A
 * loose index scan finds the accounts. An expired lease is a due run, so that a killed worker loses nothing.
 */
const CLAIM = {
  name: 'claim-test-run',
  text: `WITH RECURSIVE accounts AS (
      (SELECT account_id FROM knowledge_test_runs WHERE due_at IS NOT NULL ORDER BY account_id LIMIT 1)
      UNION ALL
      SELECT (SELECT r.account_id FROM knowledge_test_runs r WHERE r.due_at IS NOT NULL AND r.account_id > a.account_id
               ORDER BY r.account_id LIMIT 1)
        FROM accounts a WHERE a.account_id IS NOT NULL),
    due AS (
      SELECT a.account_id, d.agent_id FROM accounts a CROSS JOIN LATERAL (
        SELECT r.agent_id FROM knowledge_test_runs r WHERE r.account_id = a.account_id AND r.due_at <= now()
         ORDER BY r.due_at LIMIT 1) d
       WHERE NOT EXISTS (SELECT FROM knowledge_test_runs r
                          WHERE r.account_id = a.account_id AND r.due_at > now() AND r.lease_owner IS NOT NULL)),
    picked AS (
      SELECT r.agent_id FROM due d JOIN knowledge_test_runs r ON r.agent_id = d.agent_id
       WHERE r.due_at <= now() ORDER BY d.account_id <= $3, d.account_id LIMIT 1 FOR NO KEY UPDATE OF r SKIP LOCKED)
    UPDATE knowledge_test_runs r SET lease_owner = $1, due_at = now() + $2 * interval '1 ms'
      FROM picked WHERE r.agent_id = picked.agent_id
    RETURNING r.account_id, r.agent_id, r.changes, r.lease_owner`,
};

/** `$4`: milliseconds until the next run, null for none unless something changed during the run. */
const END = {
  name: 'end-test-run',
  text: `UPDATE knowledge_test_runs
      SET lease_owner = NULL,
          due_at = CASE WHEN $4::integer IS NOT NULL THEN now() + $4 * interval '1 ms' WHEN changes <> $3 THEN now() END
    WHERE agent_id = $1 AND lease_owner = $2`,
};

/** A result is not stored if the test was changed, or if a later version of the agent's knowledge has a result. */
const STORE = {
  name: 'store-test-results',
  text: `WITH given AS (
      SELECT * FROM unnest($4::integer[], $5::integer[], $6::boolean[], $7::smallint[], $8::text[])
        AS g(id, revision, passed, rank, reason)),
    before AS (
      SELECT t.id, t.passed FROM knowledge_tests t JOIN given g ON g.id = t.id AND g.revision = t.revision
       WHERE t.account_id = $1 AND t.agent_id = $2 AND coalesce(t.knowledge_version, 0) <= $3
       ORDER BY t.id FOR NO KEY UPDATE OF t),
    stored AS (
      UPDATE knowledge_tests t SET passed = g.passed, rank = g.rank, reason = g.reason, checked_at = now(),
          knowledge_version = $3, failing_since = CASE WHEN NOT g.passed THEN coalesce(t.failing_since, now()) END
        FROM given g JOIN before b ON b.id = g.id WHERE t.id = g.id)
    SELECT b.id FROM before b JOIN given g ON g.id = b.id WHERE b.passed AND NOT g.passed ORDER BY b.id`,
};

/** When tests run, and their results. Any number of workers share the work by leases on the database's clock. */
@Injectable()
export class TestRunsRepository {
  constructor(private readonly database: Database) {}

  /** The active tests of an agent, TESTS_PER_AGENT at most. */
  active({ accountId, agentId }: AgentOfAccount): Promise<RunnableTest[]> {
    return this.database.rows<RunnableTest & Record<string, unknown>>(ACTIVE, [accountId, agentId]);
  }

  /** The agents with tests whose searches include the knowledge base. */
  testedAgentsOf({ id, account_id }: RefreshedDocument): Promise<AgentOfAccount[]> {
    return this.database.rows<AgentOfAccount & Record<string, unknown>>(AGENTS_OF, [account_id, id]);
  }

  /** A test of the agent was added or changed. */
  async markDue({ accountId, agentId }: AgentOfAccount, tx: Sql): Promise<void> {
    await this.database.rows(MARK_DUE, [accountId, agentId], tx);
  }

  /** Claims a due run of the account after `afterAccount`; undefined: none is due. */
  async claim(owner: string, leaseMs: number, afterAccount: number): Promise<TestRunClaim | undefined> {
    const values = [owner, leaseMs, afterAccount];
    const [claimed] = await this.database.rows<TestRunClaim & Record<string, unknown>>(CLAIM, values);
    return claimed;
  }

  /** Ends a run. @param againMs a run that could not be completed is repeated after so many milliseconds. */
  async end({ agent_id, lease_owner, changes }: TestRunClaim, againMs?: number): Promise<void> {
    await this.database.rows(END, [agent_id, lease_owner, changes, againMs ?? null]);
  }

  /** Stores the results for a version of the agent's knowledge. @returns the ids of the tests that passed before and fail now. */
  async store(
    { accountId, agentId }: AgentOfAccount,
    version: string,
    results: readonly TestResult[],
    tx: Sql,
  ): Promise<number[]> {
    const columns = [
      results.map(({ test }) => test.id),
      results.map(({ test }) => test.revision),
      results.map(({ passed }) => passed),
      results.map(({ rank }) => rank),
      results.map(({ reason }) => reason),
    ];
    const broken = await this.database.rows<{ id: number }>(STORE, [accountId, agentId, version, ...columns], tx);
    return broken.map(({ id }) => id);
  }
}
