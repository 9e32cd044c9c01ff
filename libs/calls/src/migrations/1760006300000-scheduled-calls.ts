import type { MigrationInterface, QueryRunner } from 'typeorm';

export class ScheduledCalls1760006300000 implements MigrationInterface {
  name = 'ScheduledCalls1760006300000';

  async up(runner: QueryRunner): Promise<void> {
    // When a call with `due_at` joined the queue; null: at its creation.
    await runner.query('ALTER TABLE calls ADD COLUMN released_at timestamptz');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE calls DROP COLUMN released_at');
  }
}
