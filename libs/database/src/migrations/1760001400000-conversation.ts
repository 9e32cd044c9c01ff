import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How an agent behaves on the line: idle prompts, barge-in, its own phrases. */
export class Conversation1760001400000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // null: everything has its default.
    await runner.query(`ALTER TABLE agents ADD COLUMN conversation jsonb`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE agents DROP COLUMN conversation`);
  }
}
