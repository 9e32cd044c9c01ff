import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Result, confidence and evidence of answering machine detection; null: none, as in calls before. */
export class AnswerResults1760006600000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE calls ADD COLUMN answering_machine jsonb`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE calls DROP COLUMN answering_machine`);
  }
}
