import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Why a call failed, where its cause does not say everything; and what each dialer can use, for warnings about agents. */
export class FailureReasons1760008600000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE calls ADD COLUMN failure_reason text');
    await runner.query('ALTER TABLE dialers ADD COLUMN provider_names text[]');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE dialers DROP COLUMN provider_names');
    await runner.query('ALTER TABLE calls DROP COLUMN failure_reason');
  }
}
