import type { MigrationInterface, QueryRunner } from 'typeorm';

const STATEMENTS = [
  `ALTER TABLE analytics_calls ADD COLUMN is_test boolean NOT NULL DEFAULT false, ADD COLUMN rubric jsonb`,
  `CREATE TABLE analytics_rubrics (
    account_id integer NOT NULL REFERENCES accounts ON DELETE CASCADE,
    zone_id integer NOT NULL,
    bucket timestamptz NOT NULL,
    agent_id integer NOT NULL,
    agent_version integer NOT NULL,
    name text NOT NULL,
    type text NOT NULL,
    answer text NOT NULL,
    is_test boolean NOT NULL,
    calls bigint NOT NULL,
    PRIMARY KEY (account_id, zone_id, bucket, agent_id, agent_version, name, type, answer, is_test)
  )`,
];

/** The answers to rubric questions in analytics, and the mark of calls of tester callers. */
export class RubricAnalytics1760007900000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE analytics_rubrics');
    await runner.query('ALTER TABLE analytics_calls DROP COLUMN is_test, DROP COLUMN rubric');
  }
}
