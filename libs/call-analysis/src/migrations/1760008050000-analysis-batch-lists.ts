import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The list of an account's batches. */
export class AnalysisBatchLists1760008050000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE INDEX analysis_batches_by_account ON analysis_batches (account_id, id)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX analysis_batches_by_account');
  }
}
