import type { MigrationInterface, QueryRunner } from 'typeorm';

const STATEMENTS = [
  // One row per agent whose knowledge has changed. due_at: the time of the next check, or the end of the lease of the current one; null:
  // nothing has changed since the last one. The result is null until the first check.
  `CREATE TABLE knowledge_embedder_checks (
    agent_id integer PRIMARY KEY REFERENCES agents ON DELETE CASCADE,
    account_id integer NOT NULL REFERENCES accounts ON DELETE CASCADE,
    due_at timestamptz,
    lease_owner text,
    checked_at timestamptz,
    knowledge_version bigint,
    model text,
    questions smallint,
    found smallint,
    found_by_words smallint,
    outcome text CHECK (outcome IN ('better', 'similar', 'worse'))
  )`,
  `CREATE INDEX knowledge_embedder_checks_due ON knowledge_embedder_checks (account_id, due_at) WHERE due_at IS NOT NULL`,
  `CREATE INDEX knowledge_embedder_checks_worse ON knowledge_embedder_checks (model, agent_id) WHERE outcome = 'worse'`,

  // A trigger, because processes of the previous release change knowledge as well. A series of changes shares a check.
  `CREATE FUNCTION mark_embedder_check_due() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO knowledge_embedder_checks AS c (agent_id, account_id, due_at)
        VALUES (NEW.id, NEW.account_id, now() + interval '5 s')
        ON CONFLICT (agent_id) DO UPDATE SET due_at = greatest(now() + interval '5 s', c.checked_at + interval '1 hour')
          WHERE c.due_at IS NULL;
      RETURN NULL;
    END $$`,
  `CREATE TRIGGER agents_embedder_check AFTER UPDATE OF knowledge_version ON agents FOR EACH ROW
    WHEN (OLD.knowledge_version IS DISTINCT FROM NEW.knowledge_version) EXECUTE FUNCTION mark_embedder_check_due()`,
  `INSERT INTO knowledge_embedder_checks (agent_id, account_id, due_at)
    SELECT DISTINCT agent_id, account_id, now() FROM knowledge_base_agents`,
];

const REVERSED = ['DROP FUNCTION mark_embedder_check_due() CASCADE', 'DROP TABLE knowledge_embedder_checks'];

/** Comparisons of searches with and without the embedder, on questions made from an agent's own passages. */
export class EmbedderChecks1760003950000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of REVERSED) await runner.query(statement);
  }
}
