import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Limits of concurrent calls: their cost, and the length of the queue. */
export class Caps1760001700002 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE accounts ADD COLUMN queued_calls integer NOT NULL DEFAULT 100000 CHECK (queued_calls > 0)`,
    );
    // The amount that a live call may still cost. null: its account has no daily spend limit.
    await runner.query(`ALTER TABLE calls ADD COLUMN reserved_micros bigint`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE calls DROP COLUMN reserved_micros`);
    await runner.query(`ALTER TABLE accounts DROP COLUMN queued_calls`);
  }
}
