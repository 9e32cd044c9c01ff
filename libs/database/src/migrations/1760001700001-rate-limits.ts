import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Rate limits that processes share, and an account's own. */
export class RateLimits1760001700001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // null: the installation's. 0: none.
    await runner.query(`ALTER TABLE accounts ADD COLUMN requests_per_minute integer CHECK (requests_per_minute >= 0)`);
    // Unlogged: counters of a minute need not outlive a crash, and cost no WAL. Rows stay in their page when they are counted up.
    await runner.query(`CREATE UNLOGGED TABLE rate_windows (
      key text PRIMARY KEY,
      used integer NOT NULL,
      granted integer NOT NULL,
      ends_at timestamptz NOT NULL
    ) WITH (fillfactor = 50)`);
    await runner.query(`CREATE INDEX rate_windows_age ON rate_windows (ends_at)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE rate_windows`);
    await runner.query(`ALTER TABLE accounts DROP COLUMN requests_per_minute`);
  }
}
