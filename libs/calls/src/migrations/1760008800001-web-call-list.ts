import { dropUnfinishedIndex } from '@app/database/indexes';
import type { MigrationInterface, QueryRunner } from 'typeorm';

const NAME = 'calls_list_web';

/** The list of web calls, and the check of `calls.channel` for existing rows: without a transaction, so that calls go on meanwhile. */
export class WebCallList1760008800001 implements MigrationInterface {
  transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE calls VALIDATE CONSTRAINT calls_channel_check');
    await dropUnfinishedIndex(runner, NAME);
    await runner.query(`CREATE INDEX CONCURRENTLY IF NOT EXISTS ${NAME} ON calls (account_id, created_at DESC, id DESC)
      WHERE channel = 'web'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX CONCURRENTLY IF EXISTS ${NAME}`);
  }
}
