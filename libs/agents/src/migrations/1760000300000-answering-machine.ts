import type { MigrationInterface, QueryRunner } from 'typeorm';

const STATEMENTS = [
  // null: the agent does not detect answering machines.
  `ALTER TABLE agents ADD COLUMN answering_machine jsonb`,
  `ALTER TABLE calls ADD COLUMN answered_by text`,
  // Not validated: all existing rows are null, and the scan would lock a long table.
  `ALTER TABLE calls ADD CONSTRAINT calls_answered_by CHECK (answered_by IN ('human', 'machine', 'unknown')) NOT VALID`,
];

/** The reaction of an agent to an answering machine, and who answered a call. */
export class AnsweringMachine1760000300000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE calls DROP COLUMN answered_by`);
    await runner.query(`ALTER TABLE agents DROP COLUMN answering_machine`);
  }
}
