import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What calls at once cannot exceed together: the money they may cost, and the places in line. */
export class Caps1760001700002 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE accounts ADD COLUMN queued_calls integer NOT NULL DEFAULT 100000 CHECK (queued_calls > 0)`,
    );
    // Of a live call: what it may still cost. null: its account has no daily spend.
    await runner.query(`ALTER TABLE calls ADD COLUMN reserved_micros bigint`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE calls DROP COLUMN reserved_micros`);
    await runner.query(`ALTER TABLE accounts DROP COLUMN queued_calls`);
  }
}
