import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Quality, latency and interruptions of a call; null: not measured, as in calls before. */
export class CallMeasures1760007400000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE calls ADD COLUMN measures jsonb`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE calls DROP COLUMN measures`);
  }
}
