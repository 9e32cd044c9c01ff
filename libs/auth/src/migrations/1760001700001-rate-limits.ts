import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Rate limits that processes share, and the limit of an account. */
export class RateLimits1760001700001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // null: the limit of the installation. 0: no limit.
    await runner.query(`ALTER TABLE accounts ADD COLUMN requests_per_minute integer CHECK (requests_per_minute >= 0)`);
    // Unlogged, because counters of a minute need not survive a crash, which saves WAL. The fill factor keeps updates in their page.
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
