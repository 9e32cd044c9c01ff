import type { MigrationInterface, QueryRunner } from 'typeorm';

const STATEMENTS = [
  // The result belongs to one revision of the question and one version of the agent's knowledge. held_refreshes: the reason of the
  // failure by the id of the knowledge base whose refresh is held back.
  `CREATE TABLE knowledge_tests (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id integer NOT NULL REFERENCES accounts ON DELETE CASCADE,
    agent_id integer NOT NULL REFERENCES agents ON DELETE CASCADE,
    questions text[] NOT NULL,
    expected_text text,
    expected_source text,
    expected_knowledge_base_id integer,
    within smallint NOT NULL DEFAULT 3,
    is_active boolean NOT NULL DEFAULT true,
    revision integer NOT NULL DEFAULT 1,
    passed boolean,
    rank smallint,
    reason text,
    failing_since timestamptz,
    checked_at timestamptz,
    knowledge_version bigint,
    held_refreshes jsonb NOT NULL DEFAULT '{}',
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now()
  )`,
  // An agent has at most 200 tests, so that the filter by result needs no index.
  `CREATE INDEX knowledge_tests_list ON knowledge_tests (account_id, agent_id, id DESC)`,
  `CREATE INDEX knowledge_tests_held ON knowledge_tests (account_id) WHERE held_refreshes <> '{}'`,

  // One row per agent with tests. due_at: the time of the next run, or the end of the lease of the current one; null: all tests have
  // run since the last change. changes counts the changes, so that a change during a run makes the next one due.
  `CREATE TABLE knowledge_test_runs (
    agent_id integer PRIMARY KEY REFERENCES agents ON DELETE CASCADE,
    account_id integer NOT NULL REFERENCES accounts ON DELETE CASCADE,
    changes bigint NOT NULL DEFAULT 0,
    due_at timestamptz,
    lease_owner text
  )`,
  `CREATE INDEX knowledge_test_runs_due ON knowledge_test_runs (account_id, due_at) WHERE due_at IS NOT NULL`,

  // A trigger, because processes of the previous release change knowledge as well. The second combines a series of changes.
  `CREATE FUNCTION mark_knowledge_tests_due() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      UPDATE knowledge_test_runs SET changes = changes + 1, due_at = coalesce(due_at, now() + interval '1 s')
        WHERE agent_id = NEW.id;
      RETURN NULL;
    END $$`,
  `CREATE TRIGGER agents_knowledge_changed AFTER UPDATE OF knowledge_version ON agents FOR EACH ROW
    WHEN (OLD.knowledge_version IS DISTINCT FROM NEW.knowledge_version) EXECUTE FUNCTION mark_knowledge_tests_due()`,

  // The generation of a refresh that is complete but not served, because retrieval tests would fail; held_facts: its measures and
  // validators. Valid while it is newer than the serving generation, because processes of the previous release do not clear it.
  `ALTER TABLE knowledge_bases ADD COLUMN held_generation integer, ADD COLUMN held_reason text, ADD COLUMN held_facts jsonb`,

  // Every end of a held refresh: served, discarded, replaced or deleted. Locks in the order of the ids, as the other writers do.
  `CREATE FUNCTION forget_held_refresh() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM 1 FROM knowledge_tests
        WHERE account_id = OLD.account_id AND held_refreshes <> '{}' AND held_refreshes ? OLD.id::text
        ORDER BY id FOR NO KEY UPDATE;
      UPDATE knowledge_tests SET held_refreshes = held_refreshes - OLD.id::text
        WHERE account_id = OLD.account_id AND held_refreshes <> '{}' AND held_refreshes ? OLD.id::text;
      RETURN NULL;
    END $$`,
  `CREATE TRIGGER knowledge_bases_held_ended AFTER UPDATE OF held_generation ON knowledge_bases FOR EACH ROW
    WHEN (OLD.held_generation IS NOT NULL AND OLD.held_generation IS DISTINCT FROM NEW.held_generation)
    EXECUTE FUNCTION forget_held_refresh()`,
  `CREATE TRIGGER knowledge_bases_held_deleted AFTER DELETE ON knowledge_bases FOR EACH ROW
    WHEN (OLD.held_generation IS NOT NULL) EXECUTE FUNCTION forget_held_refresh()`,
];

const REVERSED = [
  'DROP FUNCTION forget_held_refresh() CASCADE',
  'ALTER TABLE knowledge_bases DROP COLUMN held_generation, DROP COLUMN held_reason, DROP COLUMN held_facts',
  'DROP FUNCTION mark_knowledge_tests_due() CASCADE',
  'DROP TABLE knowledge_test_runs',
  'DROP TABLE knowledge_tests',
];

/** Retrieval tests of agents, their runs after changes, and refreshes that are held back because tests would fail. */
export class KnowledgeTests1760003400000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of REVERSED) await runner.query(statement);
  }
}
