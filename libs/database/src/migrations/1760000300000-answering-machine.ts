import type { MigrationInterface, QueryRunner } from 'typeorm';

const STATEMENTS = [
  // null: the agent's calls are not screened.
  `ALTER TABLE agents ADD COLUMN answering_machine jsonb`,
  `ALTER TABLE calls ADD COLUMN answered_by text`,
  // Every older row is null, so that a validating scan of a long table under its lock would find nothing.
  `ALTER TABLE calls ADD CONSTRAINT calls_answered_by CHECK (answered_by IN ('human', 'machine', 'unknown')) NOT VALID`,
];

/** What an agent does when a machine answers, and what answered a call. */
export class AnsweringMachine1760000300000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE calls DROP COLUMN answered_by`);
    await runner.query(`ALTER TABLE agents DROP COLUMN answering_machine`);
  }
}
