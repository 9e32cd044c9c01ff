import type { MigrationInterface, QueryRunner } from 'typeorm';

const STATEMENTS = [
  // One column, because no statement reads its fields: what is said around the tool, and what becomes of its answer. Null: the defaults.
  `ALTER TABLE tools ADD COLUMN behaviour json`,
  // Evidence: which variables the answer set, and the words with which the user agreed.
  `ALTER TABLE tool_invocations ADD COLUMN assigned json`,
  `ALTER TABLE tool_invocations ADD COLUMN confirmation json`,
];

/** How tools talk, what they assign, and whether the user confirms them. */
export class ToolBehaviour1760009100000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE tool_invocations DROP COLUMN confirmation');
    await runner.query('ALTER TABLE tool_invocations DROP COLUMN assigned');
    await runner.query('ALTER TABLE tools DROP COLUMN behaviour');
  }
}
