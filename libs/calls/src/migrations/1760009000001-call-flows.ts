import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Collected values, path and agents of a call; null: its agent has no flow, and no other agent took over. */
export class CallFlows1760009000001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE calls ADD COLUMN flow jsonb`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE calls DROP COLUMN flow`);
  }
}
