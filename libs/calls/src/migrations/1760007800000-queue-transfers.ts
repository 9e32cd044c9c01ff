import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Waiting callers that are transferred to a number leave the queue without a place. */
export class QueueTransfers1760007800000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE calls ADD COLUMN queue_left_at timestamptz');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE calls DROP COLUMN queue_left_at');
  }
}
