import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Conversation settings of an agent: idle prompts, barge-in, phrases. */
export class Conversation1760001400000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // null: all defaults.
    await runner.query(`ALTER TABLE agents ADD COLUMN conversation jsonb`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE agents DROP COLUMN conversation`);
  }
}
